// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"math"
	"testing"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// Hours of sleep that two drugs gave ten patients (Student: The Probable Error
// of a Mean, Biometrika 6, 1908). R's t.test(paired = TRUE) prints t = 4.0621,
// 9 degrees of freedom, p = 0.002833 to both sides and the interval [0.7001142,
// 2.4598858].
var (
	firstDrug  = []float64{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0}
	secondDrug = []float64{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4}
)

func TestPairedTestOfStudentsSleepers(t *testing.T) {
	above, below := stats.PairedAboveP(secondDrug, firstDrug), stats.PairedAboveP(firstDrug, secondDrug)
	if want := 0.002833 / 2; math.Abs(above-want) > 5e-7 {
		t.Errorf("p of one side = %v, want %v", above, want)
	}
	if math.Abs(above+below-1) > 1e-15 {
		t.Errorf("p of both sides are %v and %v, which do not add up to 1", above, below)
	}
	if got := stats.TwoSidedP(above, below); math.Abs(got-0.002833) > 5e-7 {
		t.Errorf("two-sided p = %v, want 0.002833", got)
	}
	if got := stats.TwoSidedP(below, above); got != stats.TwoSidedP(above, below) {
		t.Errorf("two-sided p of the other order = %v", got)
	}
	differences := stats.Differences(secondDrug, firstDrug)
	low, high := stats.LowerBound(differences, 0.975), stats.UpperBound(differences, 0.975)
	if math.Abs(low-0.7001142) > 5e-8 || math.Abs(high-2.4598858) > 5e-8 {
		t.Errorf("bounds %v and %v, want 0.7001142 and 2.4598858", low, high)
	}
}

func TestMeanAboveP(t *testing.T) {
	tests := map[string]struct {
		numbers []float64
		limit   float64
		want    float64
	}{
		"nothing shows nothing":         {nil, -5, 1},
		"one number shows nothing":      {[]float64{100}, 0, 1},
		"equal numbers above the limit": {[]float64{0.1, 0.1, 0.1}, 0, 0},
		"equal numbers at the limit":    {[]float64{0.1, 0.1, 0.1}, 0.1, 1},
		"equal numbers below it":        {[]float64{0.1, 0.1, 0.1}, 1, 1},
		"the mean at the limit":         {[]float64{1, 2, 3}, 2, 0.5},
		"two numbers, t = 1":            {[]float64{0, 2}, 0, 0.25},
		"two numbers, t = -1":           {[]float64{0, 2}, 2, 0.75},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := stats.MeanAboveP(tc.numbers, tc.limit); math.Abs(got-tc.want) > 1e-12 {
				t.Errorf("p = %v, want %v", got, tc.want)
			}
		})
	}
}

// Of samples from a law whose mean is the limit, as many fall below a p as p
// says.
func TestMeanAbovePIsUniformWhereTheMeanIsTheLimit(t *testing.T) {
	s := stats.NewStream(1, "p-values")
	const rounds = 20_000
	below := map[float64]int{0.01: 0, 0.05: 0, 0.5: 0}
	xs := make([]float64, 5)
	for range rounds {
		for i := range xs {
			xs[i] = 3 + 2*s.Normal()
		}
		p := stats.MeanAboveP(xs, 3)
		for level := range below {
			if p <= level {
				below[level]++
			}
		}
	}
	for level, count := range below {
		if tolerance := 4 * math.Sqrt(rounds*level*(1-level)); math.Abs(float64(count)-rounds*level) > tolerance {
			t.Errorf("p ≤ %v in %d of %d rounds", level, count, rounds)
		}
	}
}
