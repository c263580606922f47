// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"math"
	"strings"
	"testing"
)

// Two coefficients that move the only figure alike, by 1 for a change of their logarithm by 1,
// leave open how much each is: of a = 1 ÷ 0.005² = 40,000, the information is [a+1 a; a a+1],
// and its inverse [a+1 −a; −a a+1] ÷ (2a+1), so that the deviation of each is √(40,001 ÷ 80,001)
// = 0.7071, and their correlation −40,000 ÷ 40,001. A third one, with a figure of its own, is known
// to 1 ÷ √40,001 = 0.005, and a fourth one that moves nothing to 1.
func TestWhatFiguresLeaveOpen(t *testing.T) {
	c := covarianceOf([][]float64{{1, 0}, {1, 0}, {0, 1}, {0, 0}})
	for k, want := range []float64{0.7071, 0.7071, 0.005, 1} {
		if got := math.Sqrt(c[k][k]); math.Abs(got-want) > 1e-4 {
			t.Errorf("deviation of coefficient %d: %v, want %v", k, got, want)
		}
	}
	if got := c[0][1] / c[0][0]; math.Abs(got+40000.0/40001) > 1e-9 {
		t.Errorf("correlation %v", got)
	}
	if a, b := correlated(c, 0), correlated(c, 3); len(a) != 1 || a[0] != 1 || len(b) != 0 {
		t.Errorf("made up for by %v and %v, want the second and none", a, b)
	}
}

// In a run of one model on two GPUs, collectives and layers cost the same time in each step.
// With the collectives given, nothing makes up for them.
func TestAFitSaysWhatTheRunsLeaveOpen(t *testing.T) {
	e := engineOf("Llama-3.1-8B", "rtx-4090", 2)
	truth := coefficients{memoryShare: 0.7, flopsShare: 0.6, layerOverhead: 47e3, tokenOverhead: 2e3, sequenceOverhead: 20e3, allReduceLatency: 25e3}
	run := madeOf(t, e, ownRequests()[:60], truth.roofline(e.Instance))
	open := func() string {
		f, err := newFit([]*Run{run}, Options{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		at := f.axes.of(truth)
		at = point(at)
		for k := range at {
			if f.axes[k].coefficient == linkShare {
				at[k] = 0.5
			}
			at[k] = math.Log(at[k])
		}
		all, err := f.undetermined(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(all, "\n")
	}
	if got := open(); !strings.Contains(got, "allReduceLatencyMicroseconds") || !strings.Contains(got, "nccl-tests") {
		t.Errorf("open are\n%s", got)
	}
	run.Engine.Given.AllReduce = slowLink
	if got := open(); strings.Contains(got, "allReduceLatencyMicroseconds") || strings.Contains(got, "linkEfficiency") {
		t.Errorf("with a table open are\n%s", got)
	}
}
