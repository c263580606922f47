// SPDX-License-Identifier: Apache-2.0

package result

import (
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/golden"
)

func TestTheBestOfEachKindAreListed(t *testing.T) {
	in := LeaderboardInput{
		Objectives: []Objective{objective("ttft.mean", Minimize)},
		Features:   []Measure{Of(MustParseMetric("cacheHit.gpu"))},
		Baseline:   NoBaseline,
		Keep:       1,
	}
	for point := range 6 {
		c := Entry{Point: point}
		if point%3 == 0 {
			c.Elite = Kind{point + 1, 2}
		}
		in.Candidates = append(in.Candidates, c)
		in.Rows = append(in.Rows, Row{Key: "k", Point: point, Seed: 1, Share: 1, Metrics: NewMetrics(map[string]float64{"ttft.mean": float64(6 - point)})})
	}
	board, err := NewLeaderboard(in)
	if err != nil {
		t.Fatal(err)
	}
	if len(board.Candidates) != 2 || board.Candidates[0].Point != 5 || board.Candidates[1].Point != 3 {
		t.Errorf("listed are %v, want the best one and the best of the kinds", board.Candidates)
	}
	golden.Check(t, "testdata/leaderboard-kinds.json", indented(t, board))
}
