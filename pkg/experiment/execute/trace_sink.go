// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"context"
	"errors"

	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// A TraceSink takes the trace of one simulation while it runs, in an order that is the same in every
// run of it.
type TraceSink interface {
	// Decision takes a decision when its request ends, or is routed again. The decision belongs to the
	// sink, which may release it.
	Decision(*RoutingRecord) error
	// Record takes a record that is no decision. A [result.BatchRecord] holds during the call only.
	Record(result.Record) error
	// Close is called when the simulation is over, also where it did not come to its end.
	Close() error
}

// Tracing says what is traced of simulations.
type Tracing struct {
	// Full adds the records that are no decisions.
	Full bool
	// Sample, unless it is 0 or 1, is the share of the requests that are traced in addition to those of
	// anomalies, which rules find by Thresholds.
	Sample     float64
	Thresholds insight.Thresholds
	// To is asked for the sink of a simulation, by its place as in [Options].Requests; an error ends
	// the work. Calls may overlap.
	To func(simulation int) (TraceSink, error)
}

// Decisions returns a Tracing that tells a function of the decisions of each simulation.
func Decisions(tell func(simulation int, d *RoutingRecord)) *Tracing {
	return &Tracing{To: func(simulation int) (TraceSink, error) {
		return decisionsOnly(func(d *RoutingRecord) { tell(simulation, d) }), nil
	}}
}

// decisionsOnly is a sink that cannot fail.
type decisionsOnly func(*RoutingRecord)

func (f decisionsOnly) Decision(d *RoutingRecord) error {
	f(d)
	return nil
}

func (decisionsOnly) Record(result.Record) error { return nil }
func (decisionsOnly) Close() error               { return nil }

// after is the Tracing of simulations that come after a number of others; nil of nil.
func (g *Tracing) after(others int) *Tracing {
	if g == nil {
		return nil
	}
	of := *g
	of.To = func(simulation int) (TraceSink, error) { return g.To(others + simulation) }
	return &of
}

// tracing is the [Tracing] of one simulation.
type tracing struct {
	*Tracing
	simulation int
}

// tracer tells the sink of one simulation. The first error ends the simulation.
type tracer struct {
	sink   TraceSink
	stop   context.CancelCauseFunc
	err    error
	detach func()
}

// start has a simulation traced; nil without a sink. The context ends when the sink fails.
func (g *tracing) start(ctx context.Context, c *simulator.Config) (context.Context, *tracer, error) {
	if g == nil {
		return ctx, nil, nil
	}
	sink, err := g.To(g.simulation)
	if err != nil {
		return ctx, nil, err
	}
	t := &tracer{sink: sink}
	ctx, t.stop = context.WithCancelCause(ctx)
	t.detach = g.attach(c, t.decision, t.record)
	return ctx, t, nil
}

// attach has a simulation tell of its decisions, and of its other records at level Full.
func (g *Tracing) attach(c *simulator.Config, decided func(*RoutingRecord), recorded func(result.Record)) (detach func()) {
	var explained func(*scheduler.Explanation)
	var s *sampler
	if g.Sample > 0 && g.Sample < 1 {
		s = newSampler(c, g, decided, recorded)
		decided, recorded, explained = s.decided, s.recorded, s.collector.Explained
	}
	unrecorded := func() {}
	if g.Full {
		unrecorded = WatchRecords(c, recorded)
	}
	undecided := watchDecisions(c, decided, explained, nil)
	if s != nil {
		c.Ended = both(c.Ended, s.ended)
	}
	return func() {
		undecided()
		unrecorded()
		if s != nil {
			s.flush()
		}
	}
}

func (t *tracer) decision(d *RoutingRecord) {
	if t.err == nil {
		t.note(t.sink.Decision(d))
	}
}

func (t *tracer) record(r result.Record) {
	if t.err == nil {
		t.note(t.sink.Record(r))
	}
}

func (t *tracer) note(err error) {
	if err != nil {
		t.err = err
		t.stop(err)
	}
}

// close tells of what is left after a simulation with an error, which it returns with those of the
// sink. An error of the sink stands for the one that it caused. There is nothing to close of nil.
func (t *tracer) close(err error) error {
	if t == nil {
		return err
	}
	t.detach()
	t.stop(nil)
	if t.err != nil {
		err = t.err
	}
	return errors.Join(err, t.sink.Close())
}
