// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math"
	"testing"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// parzenSpace has a number that exists with one label of three only.
var parzenSpace = Space{Parameters: []Parameter{
	{Name: "label", Kind: Choice, Choices: []string{"a", "b", "c"}},
	{Name: "number", Kind: Continuous, Min: "0", Max: "1", When: &Condition{Parameter: "label", Values: []string{"b"}}},
	{Name: "always", Kind: Integer, Min: "1", Max: "40"},
}}

func parzenOf(t *testing.T, points ...Values) *parzen {
	t.Helper()
	c := mustCube(t, parzenSpace)
	var xs [][]float64
	for _, p := range points {
		xs = append(xs, c.encode(p))
	}
	return newParzen(c, xs)
}

// Densities are relative to uniform ones, so that their mean over the cube is 1.
func TestAParzenEstimateIsADensity(t *testing.T) {
	for name, p := range map[string]*parzen{
		"of nothing": parzenOf(t),
		"of a point": parzenOf(t, Values{"b", "0.9", "40"}),
		"of several": parzenOf(t, Values{"b", "0.1", "3"}, Values{"b", "0.15", "4"}, Values{"a", "", "30"}, Values{"c", "", "30"}),
	} {
		sum, n := 0., 0.
		for label := range 3 {
			for u := 0.0025; u < 1; u += 0.005 {
				for v := 0.0125; v < 1; v += 0.025 {
					sum += math.Exp(p.logDensity([]float64{(float64(label) + 0.5) / 3, u, v}))
					n++
				}
			}
		}
		if mean := sum / n; math.Abs(mean-1) > 0.01 {
			t.Errorf("%s: the mean density is %v, want 1", name, mean)
		}
	}
}

func TestSamplesHaveTheEstimatedDensity(t *testing.T) {
	p := parzenOf(t, Values{"b", "0.2", "10"}, Values{"b", "0.25", "12"}, Values{"c", "", "30"})
	s := stats.NewStream(1, "parzen")
	const n = 40_000
	sums := [3]float64{} // of the reciprocal density, which is 1 on average over each part
	for range n {
		x := p.sample(s)
		label := min(int(3*x[0]), 2)
		x[0] = (float64(label) + 0.5) / 3
		sums[label] += math.Exp(-p.logDensity(x))
	}
	for label, sum := range sums {
		if share := sum / n; math.Abs(share-1./3) > 0.02 {
			t.Errorf("label %d fills %v of the cube, want a third", label, share)
		}
	}
}

func TestWhatPointsShareIsDenser(t *testing.T) {
	p := parzenOf(t, Values{"b", "0.8", "5"}, Values{"b", "0.7", "6"}, Values{"a", "", "35"})
	density := func(point Values) float64 { return p.logDensity(p.cube.encode(point)) }
	if near, far := density(Values{"b", "0.75", "6"}), density(Values{"b", "0.1", "6"}); near <= far {
		t.Errorf("near %v, far %v", near, far)
	}
	// Labels and numbers belong together: no point has "a" with a small number.
	if seen, mixed := density(Values{"a", "", "35"}), density(Values{"a", "", "5"}); seen <= mixed {
		t.Errorf("seen together %v, not seen together %v", seen, mixed)
	}
	if known, other := density(Values{"a", "", "35"}), density(Values{"c", "", "35"}); known <= other {
		t.Errorf("known label %v, other label %v", known, other)
	}
}

func TestBumpsAreNotNarrowerThanHalfACell(t *testing.T) {
	p := parzenOf(t, Values{"a", "", "7"}, Values{"a", "", "7"}, Values{"a", "", "7"})
	if p.width[2] < 0.5/40 {
		t.Errorf("width %v of 40 values", p.width[2])
	}
}
