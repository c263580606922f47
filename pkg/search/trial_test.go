// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTrialsAreOrderedByConstraintsThenLossAndFailuresComeLast(t *testing.T) {
	sampled := func(excess float64, rows ...[]float64) Trial { return Trial{Samples: rows, Excess: excess} }
	trials := []Trial{
		0: {},                                           // failed
		1: sampled(0, []float64{3}, []float64{5}),       // 4
		2: sampled(0.5, []float64{1}),                   // beyond its constraints
		3: sampled(0, []float64{math.NaN()}),            // as good as failed
		4: sampled(0, []float64{2, 9}, []float64{3, 9}), // 2.5
		5: sampled(0.1, []float64{7}),                   // less so
		6: sampled(0, []float64{4}, []float64{4}),       // as good as 1
		7: sampled(0, []float64{1}, nil),                // a seed failed
		8: sampled(0, []float64{math.Inf(-1)}),          // too good to be true
	}
	if diff := cmp.Diff([]int{4, 1, 6, 5, 2, 0, 3, 7, 8}, order(trials)); diff != "" {
		t.Errorf("order (−want +got):\n%s", diff)
	}
	if !better(trials[4], trials[1]) || better(trials[1], trials[6]) || better(trials[0], trials[3]) || !better(trials[2], trials[0]) {
		t.Error("better does not follow the order")
	}
	if diff := cmp.Diff([]float64{2.5, 9}, trials[4].Losses()); diff != "" {
		t.Errorf("losses (−want +got):\n%s", diff)
	}
}
