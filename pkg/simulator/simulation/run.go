// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"errors"
	"fmt"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/events"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/measure"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// Run simulates c and returns what was measured, and closes the source. An error says that
// ctx was cancelled, that the source could not be read to its end, or, as a
// [policy.Fault], what a policy did that is a program. A Config that breaks the rules stated
// at its fields panics: who compiles a scenario checks it first.
func Run(ctx context.Context, c simulator.Config) (*simulator.Result, error) {
	s := newSimulation(ctx, c)
	outcome, err := s.run()
	if err = errors.Join(err, workload.Close(c.Source)); err != nil {
		return nil, err
	}
	return outcome, nil
}

// run lets requests arrive, one after the other, and then drains the cluster.
func (s *simulation) run() (*simulator.Result, error) {
	for !s.Stopped && s.step() {
	}
	end := s.drain()
	if fault := s.Faults.First(); fault != nil {
		return nil, fmt.Errorf("simulate, at %v: %w", s.Now, fault)
	}
	if err := s.Ctx.Err(); err != nil {
		return nil, fmt.Errorf("simulate, at %v: %w", s.Now, err)
	}
	return s.outcome(end), nil
}

// step lets the next request arrive. It returns false if no request is left.
func (s *simulation) step() bool {
	w, ok := s.next()
	if !ok {
		return false
	}
	s.advanceToArrival(w.Arrival)
	s.gateway.Arrive(w)
	return s.CheckContext()
}

// advanceToArrival brings all that a routing decision depends on up to a time.
func (s *simulation) advanceToArrival(at simtime.Time) {
	s.applyClusterEvents(at, events.RequestArrives)
	s.gateway.ScrapeUntil(at)
	if s.gateway.RoutingFollowsReplicas() {
		s.cluster.AdvanceAll(at)
	}
	s.gateway.Deliver(at)
	s.Now = at
}

// outcome reports a run that is over.
func (s *simulation) outcome(end simtime.Time) *simulator.Result {
	o := &simulator.Result{
		Labels:    s.labels,
		Pools:     s.pools,
		Cells:     s.Metrics.Report(),
		Measured:  s.Metrics.Span(),
		Replicas:  make([]simulator.ReplicaUse, len(s.cluster.Replicas)),
		End:       end,
		Decisions: s.Metrics.Decisions.Decisions,
	}
	for i := range s.cluster.Replicas {
		o.Replicas[i] = s.cluster.Replicas[i].Report(end)
	}
	s.scaling.Report(o, end)
	o.Series = s.reportSeries(end)
	for i := range o.Cells {
		measure.CheckCell(&o.Cells[i])
	}
	for _, v := range s.Observers {
		v.Over()
	}
	return o
}

// reportSeries settles the series at the end of the run; nil without series.
func (s *simulation) reportSeries(end simtime.Time) *simulator.Series {
	if s.Series == nil {
		return nil
	}
	s.Series.Fit(end)
	for i := range s.cluster.Replicas {
		s.cluster.Replicas[i].EndGauges(end)
	}
	return s.Series.Report(end)
}
