// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// What R's p.adjust gives.
func TestCorrectionsForManyTests(t *testing.T) {
	tests := map[string]struct{ ps, holm []float64 }{
		"none":           {nil, []float64{}},
		"one":            {[]float64{0.03}, []float64{0.03}},
		"in order":       {[]float64{0.01, 0.02, 0.03, 0.04, 0.05}, []float64{0.05, 0.08, 0.09, 0.09, 0.09}},
		"out of order":   {[]float64{0.03, 0.005, 0.04, 0.01}, []float64{0.06, 0.02, 0.06, 0.03}},
		"equal":          {[]float64{0.02, 0.02, 0.02}, []float64{0.06, 0.06, 0.06}},
		"no more than 1": {[]float64{0.9, 0.4, 1, 0}, []float64{1, 1, 1, 0}},
	}
	near := cmpopts.EquateApprox(0, 1e-15)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			given := slices.Clone(tc.ps)
			if diff := cmp.Diff(tc.holm, stats.Holm(tc.ps), near); diff != "" {
				t.Errorf("Holm (−want +got):\n%s", diff)
			}
			if diff := cmp.Diff(given, tc.ps); diff != "" {
				t.Errorf("what was given (−before +after):\n%s", diff)
			}
		})
	}
}

// stepDown is Holm's procedure as he describes it: reject the smallest as long
// as it is at most α over how many are left.
func stepDown(ps []float64, alpha float64) []bool {
	rejected := make([]bool, len(ps))
	for left := len(ps); left > 0; left-- {
		smallest := -1
		for i, p := range ps {
			if !rejected[i] && (smallest < 0 || p < ps[smallest]) {
				smallest = i
			}
		}
		if ps[smallest]*float64(left) > alpha {
			break
		}
		rejected[smallest] = true
	}
	return rejected
}

func FuzzHolmStepsDown(f *testing.F) {
	f.Add([]byte{1, 10, 3, 200, 3}, 0.05)
	f.Fuzz(func(t *testing.T, data []byte, alpha float64) {
		if !(alpha > 0 && alpha < 1) {
			return
		}
		ps := make([]float64, len(data))
		for i, b := range data {
			ps[i] = float64(b) / 2560
		}
		got := make([]bool, len(ps))
		for i, p := range stats.Holm(ps) {
			got[i] = p <= alpha
		}
		if diff := cmp.Diff(stepDown(ps, alpha), got); diff != "" {
			t.Errorf("rejected of %v at %v (−want +got):\n%s", ps, alpha, diff)
		}
	})
}

func TestCorrectionsOfWhatIsNoProbabilityPanic(t *testing.T) {
	for _, p := range []float64{-0.1, 1.1, math.NaN()} {
		if !panics(func() { stats.Holm([]float64{0.5, p}) }) {
			t.Errorf("%v did not panic", p)
		}
	}
}
