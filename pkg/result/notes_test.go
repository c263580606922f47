// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// TestWhoRejectsIsNamed: candidates that turn requests away are named below the
// table, as many as fit into a sentence.
func TestWhoRejectsIsNamed(t *testing.T) {
	metric := MustParseMetric("rejectionRate").String()
	leaderboard := func(rates ...float64) *Leaderboard {
		l := &Leaderboard{}
		for i, rate := range rates {
			l.Candidates = append(l.Candidates, Ranked{
				Candidate: Candidate{Point: i, Parameters: []Assignment{{Name: "blocks", Value: fmt.Sprint(i)}}},
				Metrics:   Intervals{metric: stats.Interval{Mean: rate}},
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
		"one of three":              {[]float64{0, 0.9767, 0}, "blocks=1 97.7 % of the requests"},
		"more than are named":       {[]float64{1, 1, 1, 1, 1, 1, 1}, "blocks=4 100.0 % and 2 more of the requests"},
	} {
		t.Run(name, func(t *testing.T) {
			notes := strings.Join(leaderboard(c.rates...).notes(), "\n")
			if c.want == "" && strings.Contains(notes, "Rejected") || !strings.Contains(notes, c.want) {
				t.Errorf("notes are\n%s\nwant %q in them", notes, c.want)
			}
		})
	}
}
