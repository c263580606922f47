// SPDX-License-Identifier: Apache-2.0

package flowcontrol

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestCeilings(t *testing.T) {
	holdback := priorityHoldbackLimit{least: 0.4, greatest: 1}
	byValue := priorityHoldbackLimit{least: 0.4, greatest: 1, byValue: true}
	for name, tc := range map[string]struct {
		limit      usageLimit
		saturation float64
		priorities []int
		want       []float64
	}{
		"static":                         {staticUsageLimit{0.7}, 9, []int{2, 0, -1}, []float64{0.7, 0.7, 0.7}},
		"by rank":                        {holdback, 0, []int{100, 1, 0, -5}, []float64{1, 0.8, 0.6, 0.4}},
		"by value":                       {byValue, 0, []int{9, 3, 0, -1}, []float64{1, 0.64, 0.46, 0.4}},
		"one priority has nobody below":  {holdback, 0, []int{0}, []float64{1}},
		"by value, of one priority":      {byValue, 0, []int{0}, []float64{1}},
		"reflective, little load":        {&softReflectiveLimit{}, 0.3, []int{2, 1, 0}, []float64{1, 1, 1}},
		"the lowest is shut first":       {&softReflectiveLimit{}, 0.65, []int{2, 1, 0}, []float64{1, 1, 0}},
		"then the next one":              {&softReflectiveLimit{}, 0.7, []int{2, 1, 0}, []float64{1, 0, 0}},
		"saturated, all but the highest": {&softReflectiveLimit{}, 1.2, []int{2, 1, 0}, []float64{1, 0, 0}},
		"reflective, of one priority":    {&softReflectiveLimit{}, 0.9, []int{0}, []float64{1}},
	} {
		t.Run(name, func(t *testing.T) {
			got := make([]float64, len(tc.priorities))
			tc.limit.limit(tc.saturation, tc.priorities, got)
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Errorf("−want +got:\n%s", diff)
			}
		})
	}
}

// A shut priority opens in one cycle of round(s/(1 − s)), which are counted only
// while some priority is shut; at 0.5 that is every cycle.
func TestReflectiveDutyCycle(t *testing.T) {
	for saturation, want := range map[float64]string{0.5: "++++++++", 0.75: "--+--+--", 0.8: "---+---+", 0.45: "++++++++", 1: "--------"} {
		limit, got := &softReflectiveLimit{}, ""
		for range 8 {
			// A cycle with little load in between does not count.
			limit.limit(0.1, []int{1, 0}, make([]float64, 2))
			ceilings := make([]float64, 2)
			limit.limit(saturation, []int{1, 0}, ceilings)
			got += map[float64]string{0: "-", 1: "+"}[ceilings[1]]
		}
		if got != want {
			t.Errorf("at saturation %v: %s, want %s", saturation, got, want)
		}
	}
}
