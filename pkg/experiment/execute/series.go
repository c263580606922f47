// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"context"
	"time"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// seriesIn asks the simulator for series in a bounded number of bins. Bins narrower than a step
// of an engine would show single steps.
func seriesIn(bins int) simulator.SeriesConfig {
	if bins == 0 {
		return simulator.SeriesConfig{}
	}
	return simulator.SeriesConfig{Bins: bins, Width: 16 * time.Millisecond, Unit: time.Millisecond}
}

// PointSeries are the series of a point under a workload, of all of its seeds together.
type PointSeries struct {
	Point experiment.Point
	// Workload is the name of a workload of the plan; empty where it has none.
	Workload string
	// Series is nil where the values of the point do not go together.
	Series *result.Series
	// Documents are the results of the seeds, in the order in which the trial has them.
	Documents []*result.Document
}

// SeriesOf simulates points of a plan again, which need not have been followed through time
// the first time, and follows them. The traces must be the plan's.
func SeriesOf(ctx context.Context, p *experiment.Plan, traces trace.Set, trials []experiment.Trial, o Options) ([]PointSeries, error) {
	round := p.NewRound(0, trials)
	which := make([]int, round.Simulations())
	for i := range which {
		which[i] = i
	}
	simulations, err := Simulate(ctx, p, traces, round, which, o)
	if err != nil {
		return nil, err
	}
	type place struct {
		trial    *experiment.Trial
		workload string
	}
	at := map[place]int{}
	var all []PointSeries
	for i := range simulations {
		of := round.At(i)
		key := place{of.Trial, of.Workload}
		if _, ok := at[key]; !ok {
			at[key] = len(all)
			all = append(all, PointSeries{Point: of.Point, Workload: of.Workload})
		}
		s := &all[at[key]]
		if s.Series, err = result.MergeSeries(s.Series, simulations[i].Series); err != nil {
			return nil, atPoint(of, err)
		}
		if d := simulations[i].Document; d != nil {
			s.Documents = append(s.Documents, d)
		}
	}
	return all, nil
}
