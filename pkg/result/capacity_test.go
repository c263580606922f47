// SPDX-License-Identifier: Apache-2.0

package result

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/golden"
)

func TestCapacitiesRankBeforeObjectives(t *testing.T) {
	row := func(point int, ttft float64) Row {
		return Row{Key: "k", Point: point, Seed: 1, Share: 1, Metrics: NewMetrics(map[string]float64{"ttft.mean": ttft})}
	}
	candidate := func(point int, c Capacity) Entry {
		c.Load = "rate"
		return Entry{Point: point, Capacity: &c}
	}
	board, err := NewLeaderboard(LeaderboardInput{
		Candidates: []Entry{
			candidate(0, Capacity{Holds: "9", Breaks: "9.5", Undecided: true}),
			candidate(1, Capacity{Holds: "10", Breaks: "10.2"}),
			candidate(2, Capacity{Breaks: "1"}),
			candidate(3, Capacity{Holds: "10", Open: true, Against: []string{"8"}}),
		},
		Rows:       []Row{row(0, 0.1), row(1, 0.4), row(2, 0.01), row(3, 0.3)},
		Objectives: []Objective{objective("ttft.mean", Minimize)},
		Baseline:   NoBaseline,
	})
	if err != nil {
		t.Fatal(err)
	}
	var order []int
	for _, c := range board.Candidates {
		order = append(order, c.Point)
		if c.Pareto {
			t.Errorf("point %d is on a front of figures under different loads", c.Point)
		}
	}
	if diff := cmp.Diff([]int{3, 1, 0, 2}, order); diff != "" {
		t.Errorf("order (−want +got):\n%s", diff)
	}
	golden.Check(t, "testdata/leaderboard-capacity.json", indented(t, board))
}

// Of pools for a demand the smallest that suffices is first, of those that do not the largest.
func TestTheSmallestPoolThatSufficesIsFirst(t *testing.T) {
	pool := func(replicas int, verdict Feasibility, survives bool) *Capacity {
		return &Capacity{Holds: "9", Demand: &Demand{Replicas: replicas, Survive: 1, Verdict: verdict, Survives: survives}}
	}
	ordered := []*Capacity{pool(3, LoadMet, true), pool(8, LoadMet, true), pool(2, LoadMet, false), pool(1, LoadNotMet, false)}
	for i := range ordered[1:] {
		if a, b := ordered[i].loss(), ordered[i+1].loss(); a >= b {
			t.Errorf("%d replicas (%g) do not come before %d (%g)", ordered[i].Demand.Replicas, a, ordered[i+1].Demand.Replicas, b)
		}
	}
}
