// SPDX-License-Identifier: Apache-2.0

package result

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// paretoByDefinition looks at all pairs.
func paretoByDefinition(costs [][]float64) []bool {
	front := make([]bool, len(costs))
	for i, a := range costs {
		front[i] = true
		for _, b := range costs {
			if dominates(b, a) {
				front[i] = false
			}
		}
	}
	return front
}

func TestParetoIsItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		objectives := 1 + r.IntN(4)
		var costs [][]float64
		for range r.IntN(40) {
			var vector []float64
			for range objectives {
				vector = append(vector, float64(r.IntN(6)))
			}
			costs = append(costs, vector)
		}
		if diff := cmp.Diff(paretoByDefinition(costs), pareto(costs)); diff != "" {
			t.Fatalf("front of %v, −want +got:\n%s", costs, diff)
		}
	}
}

// TestParetoOfTies has a hundred thousand points of one cost each, a few different ones, and a
// front of as many points of two: every pair of either would take minutes.
func TestParetoOfTies(t *testing.T) {
	const points = 100_000
	ties, slope := make([][]float64, points), make([][]float64, points)
	for i := range points {
		ties[i] = []float64{float64(i % 3)}
		slope[i] = []float64{float64(i), float64(-i)}
	}
	for i, on := range pareto(ties) {
		if on != (i%3 == 0) {
			t.Fatalf("point %d of cost %d: on the front is %v", i, i%3, on)
		}
	}
	if slices.Contains(pareto(slope), false) {
		t.Error("a point of the slope is not on the front")
	}
}

func TestDominates(t *testing.T) {
	cases := map[string]struct {
		a, b []float64
		want bool
	}{
		"better everywhere":            {[]float64{1, 1}, []float64{2, 2}, true},
		"better somewhere, equal else": {[]float64{1, 2}, []float64{2, 2}, true},
		"equal":                        {[]float64{2, 2}, []float64{2, 2}, false},
		"better somewhere, worse else": {[]float64{1, 3}, []float64{2, 2}, false},
		"worse everywhere":             {[]float64{3, 3}, []float64{2, 2}, false},
	}
	for name, tc := range cases {
		if got := dominates(tc.a, tc.b); got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}
