// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"strings"
	"testing"
)

func TestWarningsOfCoefficients(t *testing.T) {
	two := ownEngine()
	two.TensorParallelism = 2
	for name, tc := range map[string]struct {
		engine Engine
		change func(c *coefficients)
		want   string
	}{
		"ordinary":                           {ownEngine(), func(*coefficients) {}, ""},
		"all of the FLOP/s":                  {ownEngine(), func(c *coefficients) { c[flopsShare] = 1 }, "all of the accelerator's FLOP/s is used, or more: the peak in its entry is too low"},
		"little bandwidth":                   {ownEngine(), func(c *coefficients) { c[memoryShare] = 0.55 }, "the share of the bandwidth is 0.55, and engines achieve 0.7 to 0.9: it hides something else. Check the bandwidth of the entry"},
		"little bandwidth on two":            {two, func(c *coefficients) { c[memoryShare] = 0.55 }, "With several GPUs that is mostly a link slower than the all-reduce of the catalogue. Measure the all-reduce between these GPUs (nccl-tests"},
		"little of the FLOP/s":               {ownEngine(), func(c *coefficients) { c[flopsShare] = 0.1 }, "the share of FLOP/s is 0.10, and engines achieve 0.3 to 0.9"},
		"an overhead of nothing":             {ownEngine(), func(c *coefficients) { c[sequenceOverhead] = 0 }, "sequenceOverheadMicroseconds is at the lower bound"},
		"an overhead of a tenth of a second": {ownEngine(), func(c *coefficients) { c[layerOverhead] = 1e8 }, "layerOverheadMicroseconds is at the upper bound of what the fit may take: it stands for something else, or the runs do not depend on it. Add a run with many long contexts at once"},
	} {
		t.Run(name, func(t *testing.T) {
			c := ownCoefficients
			tc.change(&c)
			f := &Fitted{runs: []*Run{{Engine: tc.engine}}, axes: five, values: five.of(c)}
			got := f.Warnings()
			if tc.want == "" && got != nil || tc.want != "" && (len(got) != 1 || !strings.Contains(got[0], tc.want)) {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

func TestWarningsOfARun(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*Run)
		want   string
	}{
		"ordinary": {func(*Run) {}, ""},
		"few":      {func(r *Run) { r.Fitted = 49 }, "49 requests are few"},
		"in milliseconds": {func(r *Run) {
			for i := range r.Requests {
				q := &r.Requests[i]
				q.Queued, q.FirstToken, q.LastToken = 1000*q.Queued, 1000*q.FirstToken, 1000*q.LastToken
			}
		}, "are these milliseconds?"},
	} {
		t.Run(name, func(t *testing.T) {
			run := ownRun(t)
			tc.change(run)
			got := strings.Join(run.Warnings(), "\n")
			if (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
				t.Errorf("warnings %q, want %q", got, tc.want)
			}
		})
	}
}

func TestRunsThatAFitDoesNotExplain(t *testing.T) {
	j := judgementOf(times(0, 1e9, 3e9, 3))
	if got := Unexplained([]*Judgement{j}); got != "" {
		t.Errorf("without an error: %q", got)
	}
	j.Predicted[E2E][Mean] *= 0.9
	const one = "few: the fit does not explain the run: its mean E2E is off by -10.0 %"
	if got := Unexplained([]*Judgement{j}); !strings.HasPrefix(got, one+". Then the description is wrong") {
		t.Errorf("an error of a tenth: %q", got)
	}
	if got := Unexplained([]*Judgement{j, j}); !strings.HasPrefix(got, "the fit does not explain 2 runs. Then") || strings.Count(got, "\n  - "+one) != 2 {
		t.Errorf("two of them: %q", got)
	}
	j.HeldBack = true
	if got := Unexplained([]*Judgement{j}); got != "" {
		t.Errorf("held back: %q", got)
	}
}
