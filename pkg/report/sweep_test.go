// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

func TestReportGolden(t *testing.T) {
	l := recordedBoard(t, "leaderboard-raced.json")
	gate, errs := result.Measures{}.Gate(result.GateText{Name: "fast", Metric: "ttft.p99", Operator: "AtMost", Value: "600ms", Confidence: "0.95"}, nil)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	judged := result.GateResult{Gate: gate, Verdict: verdict.Pass, Message: "ttft.p99 ≤ 600 ms passes: 370 ms, below 582.021 ms with 95 % (4 seeds)"}
	r := Sweep{
		Title: "Weights of the chat pool", Best: 6, Board: l, Top: 3,
		Gates:          []result.GateResult{judged},
		Assumptions:    []string{"Step times are those of the model roofline."},
		StepTimes:      []string{"chat on h100-sxm, TP 1: shares of peak given by you"},
		Approximations: []string{"prefix-cache-scorer: looks at whole blocks"},
		Warnings:       []string{"the trace is short | very short"},
	}
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/report.md", b.Bytes())

	r.Gates, r.Best = nil, 0
	b.Reset()
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/report-baseline.md", b.Bytes())
	if r.Best = 99; r.Write(&b) == nil {
		t.Error("a point that is not listed has a report")
	}
}

// What changes in a manifest has a fence that its text does not close.
func TestReportHasTheChangesOfManifests(t *testing.T) {
	const title = "the ScaledObject of scaler llama"
	for name, tc := range map[string]struct{ diff, want string }{
		"an ordinary text":    {"--- a\n+++ b\n", "In " + title + ":\n\n```diff\n--- a\n+++ b\n```\n\n"},
		"a text with a fence": {"+```\n", "In " + title + ":\n\n````diff\n+```\n````\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			r := Sweep{Diffs: []Diff{{title, tc.diff}}}
			var b bytes.Buffer
			r.diffs(&b)
			if diff := cmp.Diff(tc.want, b.String()); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
}
