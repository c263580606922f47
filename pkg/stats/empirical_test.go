// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"math"
	"testing"

	"windtunnel.dev/windtunnel/pkg/stats"
)

func TestEmpiricalDrawsEachValueAsOftenAsItsWeight(t *testing.T) {
	points := []stats.WeightedValue{{Value: 10, Weight: 0}, {Value: 20, Weight: 1}, {Value: 30, Weight: 5}, {Value: 40, Weight: 2}, {Value: 50, Weight: 0}}
	d, err := stats.NewEmpirical(points)
	if err != nil {
		t.Fatal(err)
	}
	s := stats.NewStream(1, "empirical")
	const n = 80_000
	counts := map[float64]float64{}
	for range n {
		counts[d.Sample(s)]++
	}
	for _, p := range points {
		share := p.Weight / 8
		tolerance := 4 * math.Sqrt(n*share*(1-share))
		if math.Abs(counts[p.Value]-n*share) > tolerance {
			t.Errorf("value %v came %v times, want %v ± %.0f", p.Value, counts[p.Value], n*share, tolerance)
		}
	}
}

func TestEmpiricalRefusesListsThatAreNoLaw(t *testing.T) {
	tests := map[string][]stats.WeightedValue{
		"no values":           nil,
		"no weight":           {{Value: 1}, {Value: 2}},
		"negative weight":     {{Value: 1, Weight: 2}, {Value: 2, Weight: -1}},
		"weight not a number": {{Value: 1, Weight: math.NaN()}},
		"infinite weight":     {{Value: 1, Weight: math.Inf(1)}},
		"infinite sum":        {{Value: 1, Weight: math.MaxFloat64}, {Value: 2, Weight: math.MaxFloat64}},
		"infinite value":      {{Value: math.Inf(-1), Weight: 1}},
	}
	for name, points := range tests {
		if d, err := stats.NewEmpirical(points); err == nil {
			t.Errorf("%s: no error, got %v", name, d)
		}
	}
}
