// SPDX-License-Identifier: Apache-2.0

package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/result"
)

// tried is a load under two seeds, with that TTFT and that TPOT in seconds.
func tried(t *testing.T, load string, verdict result.Feasibility, objectives []result.Objective, constraints []result.Constraint, ttft, tpot float64) result.Tried {
	t.Helper()
	row := func(seed int64, by float64) result.Row {
		return result.Row{Key: "k", Seed: seed, Share: 1, Metrics: result.NewMetrics(map[string]float64{"ttft.mean": ttft + by, "tpot.mean": tpot})}
	}
	failed := result.Row{Key: "k", Seed: 3, Share: 1, Error: "it broke"}
	// In no order, and one of them twice.
	got, err := result.NewTried(load, verdict, objectives, constraints, []result.Row{row(2, 0.01), failed, row(1, -0.01), row(2, 0.01)})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestCapacitiesShowWhatWasTried(t *testing.T) {
	objectives := []result.Objective{objective("ttft.mean", result.Minimize)}
	constraints := []result.Constraint{{Measure: result.Of(result.MustParseMetric("ttft.mean")), Operator: result.AtMost, Bound: 0.5}}
	capacity := &result.Capacity{Load: "rate", Holds: "10", Breaks: "20", Tried: []result.Tried{
		tried(t, "5", result.LoadMet, objectives, constraints, 0.1, 0.01),
		tried(t, "10", result.LoadMet, objectives, constraints, 0.2, 0.01),
		tried(t, "15", result.LoadUndecided, objectives, constraints, 0.5, 0.01),
		{Load: "20", Verdict: result.LoadNotMet},
	}}
	leaderboardBuilder := result.LeaderboardInput{
		Rows: []result.Row{
			{Key: "k", Seed: 1, Share: 1, Metrics: result.NewMetrics(map[string]float64{"ttft.mean": 0.19})},
			{Key: "k", Seed: 2, Share: 1, Metrics: result.NewMetrics(map[string]float64{"ttft.mean": 0.21})},
		},
		Objectives: objectives, Constraints: constraints, Baseline: result.NoBaseline,
	}
	for name, tc := range map[string]struct {
		parameters []result.Assignment
		want       string
	}{
		"of the scenario": {
			[]result.Assignment{{Name: "rate", Value: "10"}},
			`
rate  ttft.mean ms  constraints
   5  100 ± 127     met
  10  200 ± 127     met
  15  500 ± 127     undecided
  20    –           not met

`,
		},
		"of a candidate": {
			[]result.Assignment{{Name: "replicas", Value: "2"}, {Name: "rate", Value: "10"}},
			`
candidate   rate  ttft.mean ms  constraints
replicas=2     5  100 ± 127     met
replicas=2    10  200 ± 127     met
replicas=2    15  500 ± 127     undecided
replicas=2    20    –           not met

`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			leaderboardBuilder.Candidates = []result.Entry{{Parameters: tc.parameters, Capacity: capacity}}
			ranked, err := result.NewLeaderboard(leaderboardBuilder)
			if err != nil {
				t.Fatal(err)
			}
			var table, report strings.Builder
			if err := WriteLeaderboard(&table, ranked); err != nil {
				t.Fatal(err)
			}
			_, got, _ := strings.Cut(table.String(), "\n\n")
			got, _, _ = strings.Cut(got, "\n\n")
			if diff := cmp.Diff(strings.Trim(tc.want, "\n"), got); diff != "" {
				t.Errorf("(−want +got):\n%s", diff)
			}
			if err := (&Sweep{Title: "x", Board: ranked, Top: 1}).Write(&report); err != nil {
				t.Fatal(err)
			}
			if want := "The loads that were tried:\n\n```text" + strings.TrimRight(tc.want, "\n") + "\n```\n"; !strings.Contains(report.String(), want) {
				t.Errorf("the report lacks\n%s\nin\n%s", want, report.String())
			}
		})
	}
}

// What a constraint shows of a candidate needs no second column.
func TestCapacitiesShowAMeasureOnce(t *testing.T) {
	of := &result.Leaderboard{
		Objectives:  []result.Objective{objective("ttft.mean", result.Minimize), objective("tpot.mean", result.Minimize)},
		Constraints: []result.Constraint{{Measure: result.Of(result.MustParseMetric("ttft.mean")), Operator: result.AtMost, Bound: 0.5}},
		Candidates:  []result.Ranked{{Entry: result.Entry{Capacity: &result.Capacity{Load: "rate", Holds: "1"}}}},
	}
	var titles []string
	for _, c := range (board{of}).grid().columns {
		titles = append(titles, c.title)
	}
	want := []string{"rank", "", "candidate", "capacity ↑", "tpot.mean ms ↓", "ttft.mean ms ≤ 500"}
	if diff := cmp.Diff(want, titles); diff != "" {
		t.Errorf("columns (−want +got):\n%s", diff)
	}
}

// Of candidates that bear one load, none is the best: what tells them apart may act on nothing.
func TestEqualCapacitiesHaveNoBest(t *testing.T) {
	candidate := func(rank int, weight, holds, breaks string) result.Ranked {
		return result.Ranked{Rank: rank, Entry: result.Entry{
			Parameters: []result.Assignment{{Name: "weight", Value: weight}, {Name: "rate", Value: holds}},
			Capacity:   &result.Capacity{Load: "rate", Holds: holds, Breaks: breaks},
		}}
	}
	for want, candidates := range map[string][]result.Ranked{
		"The best, weight=2, holds a rate of 10, and does not hold 11.":                                  {candidate(1, "2", "10", "11"), candidate(2, "3", "9", "10")},
		"No candidate is the best: each of weight=2, weight=3 holds a rate of 10, and does not hold 11.": {candidate(1, "2", "10", "11"), candidate(1, "3", "10", "11"), candidate(3, "4", "9", "10")},
	} {
		if got := (board{&result.Leaderboard{Candidates: candidates}}).bestCapacity("rate"); got != want {
			t.Errorf("\n got %q\nwant %q", got, want)
		}
	}
}
