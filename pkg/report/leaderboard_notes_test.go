// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// TestWhoRejectsIsNamed: candidates that turn requests away are named below the
// table, as many as fit into a sentence.
func TestWhoRejectsIsNamed(t *testing.T) {
	metric := result.MustParseMetric("rejectionRate").String()
	leaderboard := func(rates ...float64) *result.Leaderboard {
		l := &result.Leaderboard{}
		for i, rate := range rates {
			l.Candidates = append(l.Candidates, result.Ranked{
				Candidate: result.Candidate{Point: i, Parameters: []result.Assignment{{Name: "blocks", Value: fmt.Sprint(i)}}},
				Metrics:   result.Intervals{metric: stats.Interval{Mean: rate}},
			})
		}
		return l
	}
	for name, c := range map[string]struct {
		rates []float64
		want  string
	}{
		"nobody":                    {[]float64{0, 0}, ""},
		"one in a hundred thousand": {[]float64{1e-5}, ""},
		"one of three":              {[]float64{0, 0.9767, 0}, "Shares of rejected requests: blocks=1 97.7 % (rejectionRate)"},
		"more than are named":       {[]float64{1, 1, 1, 1, 1, 1, 1}, "blocks=4 100.0 % and 2 more (rejectionRate)"},
	} {
		t.Run(name, func(t *testing.T) {
			notes := strings.Join(board{leaderboard(c.rates...)}.notes(), "\n")
			if c.want == "" && strings.Contains(notes, "ejected requests") || !strings.Contains(notes, c.want) {
				t.Errorf("notes are\n%s\nwant %q in them", notes, c.want)
			}
		})
	}
}

func TestNotesNameReasonsAndWhatIsNotListed(t *testing.T) {
	l := &result.Leaderboard{
		Counts: result.Counts{All: 20},
		Candidates: []result.Ranked{{
			Candidate:  result.Candidate{Parameters: []result.Assignment{{Name: "queue", Value: "2"}}},
			Metrics:    result.Intervals{"rejectionRate": stats.Interval{Mean: 0.25}},
			RejectedBy: result.Rejections{"shed": 3, "expired": 1},
		}},
	}
	notes := strings.Join(board{l}.notes(), "\n")
	for _, want := range []string{"queue=2 25.0 % (shed 75 %, expired 25 %) (rejectionRate)", "The table lists 1 of 20 candidates"} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes lack %q:\n%s", want, notes)
		}
	}
}
