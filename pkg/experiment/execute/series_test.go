// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/result"
)

// TestPointsOfASweepAreFollowedAgain after the sweep, which did not follow them.
func TestPointsOfASweepAreFollowedAgain(t *testing.T) {
	c := experimenttest.MustCompileSweep(t, experimenttest.Sweep(t))
	round := experimenttest.FirstRound(t, c.Plan)
	trials := round.Trials[:2]
	all, err := execute.SeriesOf(t.Context(), c.Plan, c.Traces, trials, execute.Options{Parallelism: 2, Series: 100})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != len(trials) {
		t.Fatalf("%d series of %d points", len(all), len(trials))
	}
	rows := map[int][]result.Row{}
	for _, row := range experimenttest.MustRunLocally(t, c, execute.Options{}).Rows() {
		rows[row.Point] = append(rows[row.Point], row)
	}
	for i, s := range all {
		if s.Point.ID != trials[i].Point.ID || s.Series.Runs != len(rows[s.Point.ID]) {
			t.Errorf("series %d are of point %d, %d runs; want point %d, %d runs", i, s.Point.ID, s.Series.Runs, trials[i].Point.ID, len(rows[s.Point.ID]))
		}
		var again []result.Metrics
		for _, d := range s.Documents {
			again = append(again, result.NewRow(d, s.Point.ID, nil).Metrics)
		}
		var first []result.Metrics
		for _, row := range rows[s.Point.ID] {
			first = append(first, row.Metrics)
		}
		if diff := cmp.Diff(first, again); diff != "" {
			t.Errorf("metrics of point %d (-sweep +again):\n%s", s.Point.ID, diff)
		}
	}
}

func TestALocalRunHasTheSeriesOfAllSeeds(t *testing.T) {
	c := experimenttest.MustCompileRun(t, experimenttest.Run(t))
	without := experimenttest.MustRunLocally(t, c, execute.Options{})
	with := experimenttest.MustRunLocally(t, c, execute.Options{Series: 100})
	if without.Series != nil || with.Series == nil || with.Series.Runs != len(c.Plan.Seeds) {
		t.Fatalf("series are %v without and %+v with", without.Series, with.Series)
	}
	if diff := cmp.Diff(rowsText(t, without.Rows()), rowsText(t, with.Rows())); diff != "" {
		t.Errorf("rows (−without +with):\n%s", diff)
	}
	simulations, err := execute.Simulate(t.Context(), c.Plan, c.Traces, experimenttest.FirstRound(t, c.Plan), []int{0}, execute.Options{Parallelism: 1, Series: 100})
	if err != nil {
		t.Fatal(err)
	}
	checkArrivals(t, simulations[0])
}

// checkArrivals holds the totals of series against the result, of a run without a warm-up.
func checkArrivals(t *testing.T, s experiment.Simulation) {
	t.Helper()
	lines := s.Series.Lines()
	sum := func(values result.LineValues) (n float64) {
		for _, v := range values {
			n += v
		}
		return n
	}
	var arrived, completed float64
	for _, track := range append(lines.Pools, lines.Gateway) {
		arrived += sum(track.Lines["arrivals"])
		completed += sum(track.Lines["completed"])
	}
	if s.Document.WarmUpSeconds != 0 {
		t.Fatal("the run has a warm-up")
	}
	if o := s.Document.Overall; arrived != float64(o.Requests.Arrived) || completed != float64(o.Requests.Completed) {
		t.Errorf("%v of %v requests complete in the series, %d of %d in the result", completed, arrived, o.Requests.Completed, o.Requests.Arrived)
	}
}
