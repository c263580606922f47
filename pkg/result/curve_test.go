// SPDX-License-Identifier: Apache-2.0

package result

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tried is a load under two seeds, with that TTFT and that TPOT in seconds.
func tried(t *testing.T, load string, verdict LoadVerdict, objectives []Objective, constraints []Constraint, ttft, tpot float64) Tried {
	t.Helper()
	row := func(seed int64, by float64) Row {
		return Row{Key: "k", Seed: seed, Share: 1, Metrics: NewMetrics(map[string]float64{"ttft.mean": ttft + by, "tpot.mean": tpot})}
	}
	failed := Row{Key: "k", Seed: 3, Share: 1, Error: "it broke"}
	// In no order, and one of them twice.
	got, err := NewTried(load, verdict, objectives, constraints, []Row{row(2, 0.01), failed, row(1, -0.01), row(2, 0.01)})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestCapacitiesShowWhatWasTried(t *testing.T) {
	objectives := []Objective{objective("ttft.mean", Minimize)}
	constraints := []Constraint{{Measure: Of(MustParseMetric("ttft.mean")), Operator: AtMost, Bound: 0.5}}
	capacity := &Capacity{Load: "rate", Holds: "10", Breaks: "20", Tried: []Tried{
		tried(t, "5", LoadMet, objectives, constraints, 0.1, 0.01),
		tried(t, "10", LoadMet, objectives, constraints, 0.2, 0.01),
		tried(t, "15", LoadUndecided, objectives, constraints, 0.5, 0.01),
		{Load: "20", Verdict: LoadNotMet},
	}}
	standings := Standings{
		Rows: []Row{
			{Key: "k", Seed: 1, Share: 1, Metrics: NewMetrics(map[string]float64{"ttft.mean": 0.19})},
			{Key: "k", Seed: 2, Share: 1, Metrics: NewMetrics(map[string]float64{"ttft.mean": 0.21})},
		},
		Objectives: objectives, Constraints: constraints, Baseline: NoBaseline,
	}
	for name, tc := range map[string]struct {
		parameters []Assignment
		want       string
	}{
		"of the scenario": {
			[]Assignment{{"rate", "10"}},
			`
rate  ttft.mean ms   constraints
   5  100.0 ± 127.1  met
  10  200.0 ± 127.1  met
  15  500.0 ± 127.1  undecided
  20      –          not met

`,
		},
		"of a candidate": {
			[]Assignment{{"replicas", "2"}, {"rate", "10"}},
			`
candidate   rate  ttft.mean ms   constraints
replicas=2     5  100.0 ± 127.1  met
replicas=2    10  200.0 ± 127.1  met
replicas=2    15  500.0 ± 127.1  undecided
replicas=2    20      –          not met

`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			standings.Candidates = []Candidate{{Parameters: tc.parameters, Capacity: capacity}}
			board, err := NewLeaderboard(standings)
			if err != nil {
				t.Fatal(err)
			}
			var table, report strings.Builder
			if err := board.Table(&table); err != nil {
				t.Fatal(err)
			}
			_, got, _ := strings.Cut(table.String(), "\n\n")
			got, _, _ = strings.Cut(got, "\n\n")
			if diff := cmp.Diff(strings.Trim(tc.want, "\n"), got); diff != "" {
				t.Errorf("(−want +got):\n%s", diff)
			}
			if err := (&Report{Title: "x", Board: board, Top: 1}).Write(&report); err != nil {
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
	board := &Leaderboard{
		Objectives:  []Objective{objective("ttft.mean", Minimize), objective("tpot.mean", Minimize)},
		Constraints: []Constraint{{Measure: Of(MustParseMetric("ttft.mean")), Operator: AtMost, Bound: 0.5}},
		Candidates:  []Ranked{{Candidate: Candidate{Capacity: &Capacity{Load: "rate", Holds: "1"}}}},
	}
	var titles []string
	for _, c := range board.grid().columns {
		titles = append(titles, c.title)
	}
	want := []string{"rank", "", "candidate", "capacity ↑", "tpot.mean ms ↓", "ttft.mean ms ≤ 500"}
	if diff := cmp.Diff(want, titles); diff != "" {
		t.Errorf("columns (−want +got):\n%s", diff)
	}
}
