// SPDX-License-Identifier: Apache-2.0

package report

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/result"
)

func TestLeaderboardVerdict(t *testing.T) {
	for name, want := range map[string]string{
		"leaderboard-empty":       "no candidate wins: none has all of its results",
		"leaderboard":             "prefixWeight=4 queueWeight=3 wins: its goodput changes by +2.2 ± 0.3 % from the baseline (better, p = 0.0045)",
		"leaderboard-no-baseline": "prefixWeight=4 queueWeight=3 ranks first with goodput 98.30 ± 0.90 %; no baseline tests how sure this is",
		"leaderboard-one-seed":    "no clear winner: weight=1 ranks first, but the difference may be chance; its ttft.p99 changes by -50.0 % from the baseline (undecided with one seed)",
		"leaderboard-raced":       "weight=6 wins: its goodput changes by +6.2 ± 0.0 % from the baseline (better, p < 0.001)",
		"leaderboard-capacity":    "the scenario holds a rate of 10, the greatest that was tried",
	} {
		if got := LeaderboardVerdict(recordedBoard(t, name+".json")); got != want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, want)
		}
	}
}

// No candidate wins where the baseline ranks first, where none meets the constraints and
// where several are equal. A candidate that alone meets the constraints wins.
func TestLeaderboardVerdictByStanding(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*result.Leaderboard)
		want   string
	}{
		"the baseline ranks first": {
			func(l *result.Leaderboard) { l.Candidates[0], l.Candidates[1] = ranked(l, 1, 1), ranked(l, 0, 2) },
			"keep what you have: the baseline ranks first; next is a=1 with ttft.p99 -50.0 % of the baseline's (undecided)",
		},
		"the baseline has equals": {
			func(l *result.Leaderboard) { l.Candidates[0], l.Candidates[1] = ranked(l, 1, 1), ranked(l, 0, 1) },
			"keep what you have: the baseline ranks first; a=1 has the same figures",
		},
		"the further objectives are sure": {
			func(l *result.Leaderboard) {
				beside := l.Candidates[0].VersusBaseline[0]
				p := 0.004
				beside.Verdict, beside.PValue = result.Better, &p
				l.Candidates[0].VersusBaseline = append(l.Candidates[0].VersusBaseline, beside)
			},
			"no clear winner: weight=1 ranks first, but the difference may be chance; its ttft.p99 changes by -50.0 % from the baseline (undecided with one seed); sure is that its ttft.p99 changes by -50.0 % from it (better, p = 0.004)",
		},
		"none meets the constraints": {
			func(l *result.Leaderboard) { l.Candidates[0].Standing = result.Infeasible },
			"no candidate wins: none meets the constraints; weight=1 comes closest",
		},
		"one alone meets the constraints": {
			func(l *result.Leaderboard) { l.Candidates[1].Standing = result.Infeasible },
			"weight=1 wins: it meets the constraints, and the baseline does not; its ttft.p99 changes by -50.0 % from the baseline (undecided with one seed)",
		},
		"a value that has the figures of another": {
			func(l *result.Leaderboard) {
				same := l.Candidates[0]
				l.Candidates[0].Parameters = []result.Assignment{{Name: "target", Value: "5"}, {Name: "min", Value: "3"}}
				same.Parameters = []result.Assignment{{Name: "target", Value: "10"}, {Name: "min", Value: "3"}}
				l.Candidates = []result.Ranked{l.Candidates[0], same, l.Candidates[1]}
				l.Candidates[2].Standing = result.Infeasible
			},
			"target=5 min=3 wins: it meets the constraints, and the baseline does not; its ttft.p99 changes by -50.0 % from the baseline (undecided with one seed); any target of 5 and 10 has these figures: min decides",
		},
		"the baseline lacks results": {
			func(l *result.Leaderboard) { l.Candidates[1].Standing = result.Incomplete },
			"weight=1 ranks first: the baseline lacks results",
		},
		"the scenario is the only point": {
			func(l *result.Leaderboard) {
				l.Baseline, l.Candidates = nil, l.Candidates[:1]
				l.Candidates[0].Parameters = nil
			},
			"the scenario has ttft.p99 125 ms, and nothing is compared with it",
		},
		"two are equal": {
			func(l *result.Leaderboard) { l.Baseline, l.Candidates[1].Rank = nil, 1 },
			"no candidate wins: 2 candidates rank first with equal figures",
		},
	} {
		board := recordedBoard(t, "leaderboard-one-seed.json")
		tc.change(board)
		if got := LeaderboardVerdict(board); got != tc.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, tc.want)
		}
	}
}

// ranked is a candidate of the board at another rank, with a name.
func ranked(l *result.Leaderboard, i, rank int) result.Ranked {
	c := l.Candidates[i]
	c.Rank, c.Parameters = rank, []result.Assignment{{Name: "a", Value: "1"}}
	return c
}

func TestContrastVerdict(t *testing.T) {
	compared := func(verdicts ...result.Effect) *result.Contrast {
		var c *result.Contrast
		recorded(t, "contrast.json", &c)
		c.Differing = c.Differing[:len(verdicts)]
		for i, v := range verdicts {
			c.Differing[i].Verdict = v
		}
		return c
	}
	for name, tc := range map[string]struct {
		contrast *result.Contrast
		want     string
	}{
		"equal":     {compared(), "no side wins: both have the same figures under every seed"},
		"undecided": {compared(result.Differs, result.Undecided), "no side wins: no difference is sure at 95% over 3 seeds"},
		"better":    {compared(result.Differs, result.Better), "new wins: it is better in 1 metric (goodput +6.2 ± 0.3 %, p < 0.001), worse in none"},
		"worse":     {compared(result.Differs, result.Worse), "old wins: new is worse in 1 metric (goodput +6.2 ± 0.3 %, p < 0.001), better in none"},
		"both":      {compared(result.Better, result.Better, result.Worse), "no clear winner: new is better in 2 metrics (first twice +6.2 ± 0.3 %, p < 0.001) and worse in 1 metric (ttft.p99 +0.1 ± 0.8 %, p = 1)"},
	} {
		if got := ContrastVerdict(tc.contrast); got != tc.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, tc.want)
		}
	}
}
