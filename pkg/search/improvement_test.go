// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math"
	"testing"
)

func TestNormalCDF(t *testing.T) {
	for x := -12.; x <= 12; x += 0.125 {
		want := 0.5 * math.Erfc(-x/math.Sqrt2)
		if got := normalCDF(x); math.Abs(got-want) > 4e-15 {
			t.Errorf("Φ(%v) = %v, want %v", x, got, want)
		}
	}
}

// slowImprovement integrates what a normal variate falls short of best, by
// Simpson's rule.
func slowImprovement(mean, deviation, best float64) float64 {
	const n = 20_000
	low := mean - 14*deviation
	h := (best - low) / n
	if h <= 0 {
		return 0
	}
	sum := 0.
	for i := range n + 1 {
		x := low + float64(i)*h
		weight := []float64{2, 4}[i%2]
		if i == 0 || i == n {
			weight = 1
		}
		z := (x - mean) / deviation
		sum += weight * (best - x) * math.Exp(-z*z/2) / (deviation * math.Sqrt(2*math.Pi))
	}
	return sum * h / 3
}

func TestLogImprovementIsThatOfTheExpectation(t *testing.T) {
	for _, mean := range []float64{-3, 0, 0.7, 4} {
		for _, deviation := range []float64{0.5, 1, 3} {
			for _, best := range []float64{-2, 0, 1, 6} {
				got, want := logImprovement(mean, deviation, best), math.Log(slowImprovement(mean, deviation, best))
				if math.Abs(got-want) > 1e-6*math.Max(1, math.Abs(want)) {
					t.Errorf("mean %v, deviation %v, best %v: %v, want %v", mean, deviation, best, got, want)
				}
			}
		}
	}
}

// Where the improvement itself would be 0 in floats, candidates must still
// differ.
func TestLogImprovementNeverEndsAndNeverFalls(t *testing.T) {
	last := math.Inf(-1)
	for z := -1e4; z < 50; z += math.Max(0.01, math.Abs(z)/500) {
		got := logStandardImprovement(z)
		if math.IsInf(got, 0) || math.IsNaN(got) || got <= last {
			t.Fatalf("at %v: %v after %v", z, got, last)
		}
		last = got
	}
	if got, want := logStandardImprovement(-100), -5000-math.Log(math.Sqrt(2*math.Pi)*1e4); math.Abs(got-want) > 1e-3 {
		t.Errorf("at −100: %v, and the leading term is %v", got, want)
	}
}
