// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"strings"
	"testing"
)

func TestWarningsOfCoefficients(t *testing.T) {
	c := ownCoefficients.roofline(ownEngine().Instance)
	if got := Warnings(c); got != nil {
		t.Errorf("ordinary coefficients: %q", got)
	}
	c.PrefillEfficiency = 1
	if got := Warnings(c); len(got) != 1 || !strings.Contains(got[0], "FLOP/s") {
		t.Errorf("a share of 1: %q", got)
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

func TestWarningsOfAJudgement(t *testing.T) {
	j := judgementOf(times(0, 1e9, 3e9, 3))
	if got := j.Warnings(); got != nil {
		t.Errorf("without an error: %q", got)
	}
	j.Predicted[E2E][Mean] *= 0.9
	if got := j.Warnings(); len(got) != 1 || !strings.Contains(got[0], "few: the fit does not explain the run: its mean E2E is off by -10.0 %") {
		t.Errorf("an error of a tenth: %q", got)
	}
	j.HeldBack = true
	if got := j.Warnings(); got != nil {
		t.Errorf("held back: %q", got)
	}
}
