// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

func TestClampNotes(t *testing.T) {
	const same = ""
	for name, test := range map[string]struct {
		lengths v1alpha1.Lengths
		want    string
	}{
		"no bounds":        {v1alpha1.Lengths{Distribution: "LogNormal", Mean: "500", StdDev: "400", Min: 1}, same},
		"bounds far away":  {v1alpha1.Lengths{Distribution: "Normal", Mean: "500", StdDev: "50", Min: 100, Max: ptr.To[int32](900)}, same},
		"bounds that meet": {v1alpha1.Lengths{Distribution: "Uniform", Min: 100, Max: ptr.To[int32](900)}, same},
		"a constant":       {v1alpha1.Lengths{Distribution: "Constant", Mean: "500", Min: 1}, same},
		"a constant above": {
			v1alpha1.Lengths{Distribution: "Constant", Mean: "500", Min: 1, Max: ptr.To[int32](400)},
			"the mean is 500 tokens before rounding and clamping, and about 400 tokens after",
		},
		"a cut tail": {
			v1alpha1.Lengths{Distribution: "Exponential", Mean: "500", Min: 1, Max: ptr.To[int32](600)},
			// 500·(1 - e^-1.2) = 349.4
			"the mean is 500 tokens before rounding and clamping, and about 350 tokens after",
		},
		"a raised floor": {
			v1alpha1.Lengths{Distribution: "Exponential", Mean: "100", Min: 100},
			// 100 + 100·e^-1 = 136.8
			"the mean is 100 tokens before rounding and clamping, and about 140 tokens after",
		},
		"a heavy tail that is cut": {
			v1alpha1.Lengths{Distribution: "Pareto", Mean: "500", Shape: "1.5", Min: 1, Max: ptr.To[int32](1000)},
			// The scale is 166.7; 500 less 2·166.7^1.5·1000^-0.5 = 363.9
			"the mean is 500 tokens before rounding and clamping, and about 360 tokens after",
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := &v1alpha1.Workload{Clients: []v1alpha1.Client{{InputTokens: v1alpha1.Lengths{Distribution: "Constant", Mean: "1", Min: 1}, OutputTokens: test.lengths}}}
			var want []string
			if test.want != same {
				want = []string{"workload.clients[0].outputTokens: " + test.want}
			}
			if diff := cmp.Diff(want, clampNotes(in, field.NewPath("workload"))); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
}

// TestClampNotesOfEveryField has a client in which every distribution is cut to the half.
func TestClampNotesOfEveryField(t *testing.T) {
	amounts := func(mean v1alpha1.PositiveDecimal, most int32) v1alpha1.Amounts {
		return v1alpha1.Amounts{Distribution: "Constant", Mean: mean, Min: 1, Max: &most}
	}
	ten, two := amounts("10", 5), amounts("2", 1)
	durations := v1alpha1.Durations{Distribution: "Constant", Mean: ptr.To[v1alpha1.Duration]("10s"), Min: "0s", Max: ptr.To[v1alpha1.Duration]("5s")}
	lengths := v1alpha1.Lengths{Distribution: "Constant", Mean: "10", Min: 1, Max: ptr.To[int32](5)}
	tail := v1alpha1.Durations{Distribution: "Exponential", Mean: ptr.To[v1alpha1.Duration]("10s"), Min: "0s", Max: ptr.To[v1alpha1.Duration]("10s")}
	half := func(what, before, after string) string {
		return "w.clients[0]." + what + ": the mean is " + before + " before rounding and clamping, and about " + after + " after"
	}
	in := &v1alpha1.Workload{Clients: []v1alpha1.Client{{
		InputTokens: lengths, OutputTokens: lengths,
		Reasoning:  &v1alpha1.Reasoning{Steps: ten, TokensPerStep: ten},
		Media:      []v1alpha1.Media{{Count: two, Tokens: ten}},
		Prefix:     &v1alpha1.Prefix{Examples: &v1alpha1.Examples{Pool: 5, Count: v1alpha1.Amounts{Distribution: "Constant", Mean: "10", Min: 1}, Tokens: ten}},
		ClosedLoop: &v1alpha1.ClosedLoop{ThinkTime: &tail},
		Sessions: &v1alpha1.Sessions{
			Turns: lengths, ThinkTime: &durations,
			Tools:    &v1alpha1.Tools{Calls: ten, Latency: durations, ResultTokens: ten},
			Branches: &v1alpha1.Branches{Count: ten, InputTokens: &ten},
		},
	}}}
	want := []string{
		half("inputTokens", "10 tokens", "5 tokens"), half("outputTokens", "10 tokens", "5 tokens"),
		half("reasoning.steps", "10 steps", "5 steps"), half("reasoning.tokensPerStep", "10 tokens", "5 tokens"),
		half("media[0].count", "2 media", "1 media"), half("media[0].tokens", "10 tokens", "5 tokens"),
		half("prefix.examples.count", "10 examples", "5 examples"), half("prefix.examples.tokens", "10 tokens", "5 tokens"),
		half("closedLoop.thinkTime", "10s", "6.3s"), // 10·(1 - e^-1)
		half("sessions.turns", "10 turns", "5 turns"), half("sessions.thinkTime", "10s", "5s"),
		half("sessions.tools.calls", "10 calls", "5 calls"), half("sessions.tools.latency", "10s", "5s"), half("sessions.tools.resultTokens", "10 tokens", "5 tokens"),
		half("sessions.branches.count", "10 branches", "5 branches"), half("sessions.branches.inputTokens", "10 tokens", "5 tokens"),
	}
	if diff := cmp.Diff(want, clampNotes(in, field.NewPath("w"))); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

func TestTwoDigits(t *testing.T) {
	for x, want := range map[float64]string{1: "1", 3.24: "3.2", 0.0367: "0.037", 9.96: "10", 12.6: "13", 349.4: "350", 1234: "1234", 12345.6: "12000", 0: "0"} {
		if got := twoDigits(x); got != want {
			t.Errorf("%v is written %s, want %s", x, got, want)
		}
	}
}
