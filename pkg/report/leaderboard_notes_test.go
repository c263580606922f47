// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
				Entry:   result.Entry{Point: i, Parameters: []result.Assignment{{Name: "blocks", Value: fmt.Sprint(i)}}},
				Metrics: result.Intervals{metric: stats.Interval{Mean: rate}},
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
		Counts: result.Counts{All: 20}, WithoutRequestCost: []string{"chat"},
		Candidates: []result.Ranked{{
			Entry:      result.Entry{Parameters: []result.Assignment{{Name: "queue", Value: "2"}}},
			Metrics:    result.Intervals{"rejectionRate": stats.Interval{Mean: 0.25}},
			RejectedBy: result.Rejections{"shed": 3, "expired": 1},
		}},
	}
	notes := strings.Join(board{l}.notes(), "\n")
	for _, want := range []string{"queue=2 25.0 % (shed 75 %, expired 25 %) (rejectionRate)", "The table lists 1 of 20 candidates", "state requestCost of chat"} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes lack %q:\n%s", want, notes)
		}
	}
}

// A candidate repeats itself if no seed changes a latency: shares of 100 % alone say nothing.
func TestNoteOnCandidatesThatRepeat(t *testing.T) {
	ttft, goodput := result.Of(result.MustParseMetric("ttft.p99")), result.Of(result.MustParseMetric("goodput"))
	of := func(name string, metrics result.Intervals) result.Ranked {
		return result.Ranked{Entry: result.Entry{Parameters: []result.Assignment{{Name: "n", Value: name}}}, Metrics: metrics}
	}
	l := board{&result.Leaderboard{
		Objectives: []result.Objective{{Measure: ttft}, {Measure: goodput}},
		Candidates: []result.Ranked{
			of("same", result.Intervals{"ttft.p99": {N: 5, Mean: 2, Low: 2, High: 2}, "goodput": {N: 5, Mean: 1, Low: 1, High: 1}}),
			of("varies", result.Intervals{"ttft.p99": {N: 5, Mean: 2, Low: 1, High: 3}, "goodput": {N: 5, Mean: 1, Low: 1, High: 1}}),
			of("one", result.Intervals{"ttft.p99": {N: 1, Mean: 2, Low: 2, High: 2}}),
			of("shares", result.Intervals{"goodput": {N: 5, Mean: 1, Low: 1, High: 1}}),
		},
	}}
	if diff := cmp.Diff([]string{"n=same"}, l.repeating()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
