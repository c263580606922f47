// SPDX-License-Identifier: Apache-2.0

package search

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/stats"
)

func individualOf(excess float64, losses ...float64) individual {
	return individual{Trial: Trial{Excess: excess, Samples: [][]float64{losses}}, losses: losses}
}

func TestDominationPutsConstraintsBeforeObjectives(t *testing.T) {
	tests := map[string]struct {
		a, b       individual
		want, back bool
	}{
		"better in all":                  {individualOf(0, 1, 1), individualOf(0, 2, 2), true, false},
		"better in one":                  {individualOf(0, 1, 2), individualOf(0, 2, 2), true, false},
		"each better in one":             {individualOf(0, 1, 3), individualOf(0, 2, 2), false, false},
		"equal":                          {individualOf(0, 1, 3), individualOf(0, 1, 3), false, false},
		"feasible, whatever it loses":    {individualOf(0, 9, 9), individualOf(0.1, 1, 1), true, false},
		"less excess, whatever it loses": {individualOf(0.1, 9, 9), individualOf(0.2, 1, 1), true, false},
		"the same excess":                {individualOf(0.1, 1, 1), individualOf(0.1, 2, 2), false, false},
	}
	for name, tc := range tests {
		if got, back := tc.a.dominates(&tc.b), tc.b.dominates(&tc.a); got != tc.want || back != tc.back {
			t.Errorf("%s: %v, and back %v", name, got, back)
		}
	}
}

// By definition: a front is what nobody of the rest dominates.
func TestFrontsAreTheirDefinition(t *testing.T) {
	s := stats.NewStream(1, "fronts")
	for range 200 {
		var all []individual
		for range s.IntN(40) {
			all = append(all, individualOf(float64(max(s.IntN(6)-3, 0)), float64(s.IntN(6)), float64(s.IntN(6)), float64(s.IntN(2))))
		}
		var want [][]int
		for rest := indicesOf(all); len(rest) > 0; {
			var front []int
			for _, i := range rest {
				if !slices.ContainsFunc(rest, func(k int) bool { return all[k].dominates(&all[i]) }) {
					front = append(front, i)
				}
			}
			want = append(want, front)
			rest = slices.DeleteFunc(rest, func(i int) bool { return slices.Contains(front, i) })
		}
		if diff := cmp.Diff(want, fronts(all)); diff != "" {
			t.Fatalf("fronts (−want +got):\n%s", diff)
		}
	}
}

func indicesOf(all []individual) []int {
	var indices []int
	for i := range all {
		indices = append(indices, i)
	}
	return indices
}

func TestCrowdingIsTheRelativeGapBetweenNeighbours(t *testing.T) {
	front := []individual{
		individualOf(0, 0, 10, 7), individualOf(0, 1, 6, 7), individualOf(0, 5, 4, 7), individualOf(0, 10, 0, 7),
	}
	setCrowding(front)
	want := []float64{math.Inf(1), 0.5 + 0.6, 0.9 + 0.6, math.Inf(1)}
	for i, f := range front {
		if math.Abs(f.crowding-want[i]) > 1e-12 {
			t.Errorf("crowding of %d: %v, want %v", i, f.crowding, want[i])
		}
	}
}

func TestRankedPutsFrontsFirstAndTheLonelyBeforeTheCrowded(t *testing.T) {
	var got []string
	for _, m := range ranked([]individual{
		individualOf(0, 2, 3), individualOf(0, 5, 1), individualOf(0, 4.9, 1.1), individualOf(0, 1, 5), individualOf(0, 1.5, 4.5),
		individualOf(0, 9, 9), individualOf(1, 0, 0),
	}) {
		got = append(got, fmt.Sprint(m.front, m.losses))
	}
	want := []string{"0 [5 1]", "0 [1 5]", "0 [4.9 1.1]", "0 [2 3]", "0 [1.5 4.5]", "1 [9 9]", "2 [0 0]"}
	// Of the inner three: 4.9 lies between 2 and 5, 2 between 1.5 and 4.9, 1.5 between 1 and 2.
	crowding := func(low, high []float64) float64 { return (high[0]-low[0])/4 + (low[1]-high[1])/4 }
	inner := map[string]float64{
		"0 [4.9 1.1]": crowding([]float64{2, 3}, []float64{5, 1}),
		"0 [2 3]":     crowding([]float64{1.5, 4.5}, []float64{4.9, 1.1}),
		"0 [1.5 4.5]": crowding([]float64{1, 5}, []float64{2, 3}),
	}
	slices.SortStableFunc(want[2:5], func(a, b string) int { return int(math.Copysign(1, inner[b]-inner[a])) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ranked (−want +got):\n%s", diff)
	}
}

func BenchmarkRanked(b *testing.B) {
	s := stats.NewStream(1, "ranked")
	var all []individual
	for range 200 {
		all = append(all, individualOf(0, s.Float64(), s.Float64()))
	}
	b.ReportAllocs()
	for b.Loop() {
		ranked(all)
	}
}
