// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"math"
	"testing"

	"windtunnel.dev/windtunnel/pkg/stats"
)

func TestOneSidedBoundsAreTheEndsOfTheWiderTwoSidedInterval(t *testing.T) {
	numbers := []float64{4.1, 3.9, 4.4, 5.0, 4.2}
	interval := stats.MeanInterval(numbers, 0.90)
	if low := stats.LowerBound(numbers, 0.95); math.Abs(low-interval.Low) > 1e-12 {
		t.Errorf("lower bound %v, want %v", low, interval.Low)
	}
	if high := stats.UpperBound(numbers, 0.95); math.Abs(high-interval.High) > 1e-12 {
		t.Errorf("upper bound %v, want %v", high, interval.High)
	}
}

// A lower bound with confidence c is the limit at which the test says 1 - c.
func TestBoundsAreWhereTheTestTurns(t *testing.T) {
	numbers := []float64{0.3, 0.1, 0.7, 0.2}
	for _, confidence := range []float64{0.6, 0.9, 0.95, 0.999} {
		if p := stats.MeanAboveP(numbers, stats.LowerBound(numbers, confidence)); math.Abs(p-(1-confidence)) > 1e-12 {
			t.Errorf("confidence %v: p at the lower bound is %v", confidence, p)
		}
	}
}

func TestFewerThanTwoNumbersBoundNothing(t *testing.T) {
	for _, numbers := range [][]float64{nil, {7}} {
		if low := stats.LowerBound(numbers, 0.95); !math.IsInf(low, -1) {
			t.Errorf("lower bound of %v is %v", numbers, low)
		}
		if high := stats.UpperBound(numbers, 0.95); !math.IsInf(high, 1) {
			t.Errorf("upper bound of %v is %v", numbers, high)
		}
	}
}

func TestBoundsOfEqualNumbersAreTheNumber(t *testing.T) {
	numbers := []float64{0.1, 0.1, 0.1}
	if low, high := stats.LowerBound(numbers, 0.95), stats.UpperBound(numbers, 0.95); low != 0.1 || high != 0.1 {
		t.Errorf("bounds %v and %v, want 0.1 twice", low, high)
	}
}

func TestBoundsWithoutConfidencePanic(t *testing.T) {
	for name, bound := range map[string]func(confidence float64){
		"lower":     func(c float64) { stats.LowerBound(nil, c) },
		"upper":     func(c float64) { stats.UpperBound([]float64{1, 2}, c) },
		"of ratios": func(c float64) { stats.PairedRatioBounds(nil, nil, c) },
	} {
		for _, confidence := range []float64{0, 0.5, 1, 95, math.NaN()} {
			if !panics(func() { bound(confidence) }) {
				t.Errorf("%s bound at confidence %v did not panic", name, confidence)
			}
		}
	}
}

func panics(f func()) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	f()
	return false
}
