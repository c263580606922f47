// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"context"
	"maps"
	"slices"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// LocalRun is a study that is over, with what it took.
type LocalRun struct {
	*study.Study
	// Documents are a run's, one a seed.
	Documents []*result.Document
	// Series are those of all simulations together; nil where Options ask for none.
	Series *result.Series
	// Reused is the number of rows that were known before.
	Reused int

	sharing result.Sharing
}

// RunLocally goes through all rounds of the plan on this machine. Simulations whose
// rows are known are not run again. The traces must be the plan's.
func RunLocally(ctx context.Context, p *experiment.Plan, traces trace.Set, o Options) (*LocalRun, error) {
	st, err := study.New(p)
	if err != nil {
		return nil, err
	}
	c := &LocalRun{Study: st}
	simulated := 0
	for st.Round() != nil {
		n, err := c.round(ctx, traces, simulated, o)
		if err != nil {
			return nil, err
		}
		simulated += n
	}
	return c, nil
}

// round simulates what is not known of the round under way, after a number of
// simulations of former ones, and tells the study. It returns how many it
// simulated.
func (c *LocalRun) round(ctx context.Context, traces trace.Set, before int, o Options) (int, error) {
	missing, rows, err := c.Plan.Missing(c.Round(), o.Known)
	if err != nil {
		return 0, err
	}
	if o.Began != nil {
		if err := o.Began(len(missing)); err != nil {
			return 0, err
		}
	}
	o.Trace = o.Trace.after(before)
	if requests := o.Requests; requests != nil {
		o.Requests = func(i int, point experiment.Point, seed int64) (RequestSink, error) {
			return requests(before+i, point, seed)
		}
	}
	whole := map[int]experiment.Simulation{} // those with more than a row
	err = simulateEach(ctx, c.Plan, traces, c.Round(), missing, o, func(i int, s *experiment.Simulation) {
		c.sharing.Share(&s.Row)
		rows[missing[i]] = s.Row
		if s.Document != nil || s.Series != nil {
			whole[i] = *s
		}
	})
	if err != nil {
		return 0, err
	}
	for _, i := range slices.Sorted(maps.Keys(whole)) {
		if document := whole[i].Document; document != nil {
			c.Documents = append(c.Documents, document)
		}
		if c.Series, err = result.MergeSeries(c.Series, whole[i].Series); err != nil {
			return 0, err
		}
	}
	c.Reused += len(rows) - len(missing)
	return len(missing), c.AddRows(rows)
}
