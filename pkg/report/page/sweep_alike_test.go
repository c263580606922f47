// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/result"
)

// Points of one rank and one difference are one row of the chart of differences, with their number,
// and an interval of a latency ends at -100 %.
func TestTheChartOfDifferencesHasEachDifferenceOnce(t *testing.T) {
	board := &result.Leaderboard{Objectives: []result.Objective{{Measure: result.Of(result.MustParseMetric("ttft.mean")), Direction: result.Minimize}}}
	add := func(point, rank int, relative, half float64) {
		c := result.Ranked{Rank: rank}
		c.Point, c.Parameters = point, []result.Assignment{{Name: "policy", Value: fmt.Sprint(point)}}
		d := result.Comparison{Measure: board.Objectives[0].Measure, Relative: &relative, RelativeHalfWidth: &half, Verdict: result.Undecided}
		c.VersusBaseline = []result.Comparison{d}
		board.Candidates = append(board.Candidates, c)
	}
	add(7, 1, -0.909, 0.12)
	for point := 8; point < 20; point++ {
		add(point, 1, -0.919, 0.441)
	}
	add(20, 14, -0.5, 0.4)
	board.Counts.All = 15 // the baseline, too
	d := NewSweepData(&report.Sweep{Board: board, Best: 7})
	type row struct {
		Point, Alike int
		Low          float64
	}
	var rows []row
	for _, v := range d.Versus {
		rows = append(rows, row{v.Point, v.Alike, *v.Low})
	}
	// -0.909 - 0.12 is -1.029, and -0.919 - 0.441 is -1.36: both end at -100 %. -0.5 - 0.4 is -0.9.
	if diff := cmp.Diff([]row{{7, 0, -100}, {8, 11, -100}, {20, 0, -90}}, rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if got := d.uncompared(); got != "" {
		t.Errorf("it says %q, and all are there", got)
	}
}
