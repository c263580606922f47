// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/setup"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// ErrInvalidPoint says that the values of a point do not go together. Of a sweep
// with more points than are checked beforehand, one may turn out so.
var ErrInvalidPoint = errors.New("the scenario is invalid")

// Options say how simulations are run. They never change a result.
type Options struct {
	// Parallelism is how many run at once; at least 1.
	Parallelism int
	// CheckInvariants makes the simulator check at every event what must always
	// hold. It is slow, and panics where something does not.
	CheckInvariants bool
	// Known, if set, returns rows by their keys that RunLocally need not simulate
	// again.
	Known func(key string) (result.Row, bool)
	// Began, if set, receives from RunLocally the number of simulations of a round. An
	// error ends the work.
	Began func(simulations int) error
	// Progress, if set, receives the number of simulations that are done. Calls do
	// not overlap.
	Progress func(done int)
	// Done, if set, receives each row and its point, in any order.
	// Calls do not overlap. An error ends the work.
	Done func(experiment.Point, *result.Row) error
	// Requests, if set, is asked before each simulation, by its place among those asked for,
	// for what takes its requests; by RunLocally, among all that it simulates. An error ends
	// the work. Calls may overlap.
	Requests func(simulation int, point experiment.Point, seed int64) (RequestSink, error)
	// Trace, if set, has simulations traced.
	Trace *Tracing
	// KeepDecisions has the trace that the plan keeps in the results; Trace is not looked at then.
	KeepDecisions bool
	// Series is how many bins the time series of a run have at most; 0 makes none.
	Series int
	// Fence, if set, runs the simulations of untrusted code. Without it, they
	// run in this process.
	Fence Fence
}

// Simulate runs simulations of a round, by their numbers in it, and returns them
// in that order. The traces must be the plan's. A point of a sweep whose values do
// not go together, or whose program fails, gives rows that say so. If something cannot be run, Simulate
// returns an error and nothing else. If ctx ends, it drops the simulations that run,
// and returns those that are done together with ctx's error.
func Simulate(ctx context.Context, p *experiment.Plan, traces trace.Set, r *experiment.Round, which []int, o Options) ([]experiment.Simulation, error) {
	results := make([]experiment.Simulation, len(which))
	ended := make([]bool, len(which))
	err := simulateEach(ctx, p, traces, r, which, o, func(i int, s *experiment.Simulation) { results[i], ended[i] = *s, true })
	switch {
	case err != nil && errors.Is(err, ctx.Err()):
		return only(results, ended), err
	case err != nil:
		return nil, err
	}
	return results, nil
}

// simulateEach is Simulate that hands over each simulation as it ends, in any order, by its place in which.
// Calls of keep do not overlap.
func simulateEach(ctx context.Context, p *experiment.Plan, traces trace.Set, r *experiment.Round, which []int, o Options, keep func(i int, s *experiment.Simulation)) error {
	criteria, errs := p.Criteria(nil)
	if len(errs) > 0 {
		return errs.ToAggregate()
	}
	metrics := criteria.Metrics()
	var mu sync.Mutex
	done := 0
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(o.Parallelism)
	for i := range which {
		if groupCtx.Err() != nil {
			break
		}
		group.Go(func() error {
			of := r.At(which[i])
			s, err := o.simulate(groupCtx, p, traces, of, experiment.MetricsUnder(metrics, of.Workload), i)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			keep(i, &s)
			done++
			if o.Progress != nil {
				o.Progress(done)
			}
			if o.Done != nil {
				return o.Done(of.Point, &s.Row)
			}
			return nil
		})
	}
	err := group.Wait()
	if stopped := ctx.Err(); stopped != nil && (err == nil || errors.Is(err, stopped)) {
		return stopped
	}
	return err
}

// only returns those simulations that have ended.
func only(simulations []experiment.Simulation, ended []bool) []experiment.Simulation {
	var kept []experiment.Simulation
	for i := range simulations {
		if ended[i] {
			kept = append(kept, simulations[i])
		}
	}
	return kept
}

// An observers value sees what goes on in a simulation, and changes nothing. Its functions
// are nil if they are not needed.
type observers struct {
	// check has the simulator check its invariants.
	check bool
	// series is how many bins time series have at most; 0 makes none.
	series  int
	decided func(*RoutingRecord)
	// decisionsOf selects the requests whose decisions decided receives; nil selects all.
	decisionsOf func(request int) bool
	completed   func(simulator.Completion)
	evicted     func(request int)
	ended       func(simulator.RequestEnd)
	requests    func(experiment.Point, int64) (RequestSink, error)
	// trace has it traced, where neither decided nor watch is set.
	trace *tracing
	// scaling is shown a configuration before it runs, to hear of its scalers.
	scaling func(*simulator.Config)
	// watch is shown a configuration too, in place of decided, and returns what is called when the
	// simulation is over.
	watch func(*simulator.Config) (detach func())
}

func (o *Options) watch(simulation int) observers {
	w := observers{check: o.CheckInvariants, series: o.Series}
	if o.Trace != nil {
		w.trace = &tracing{o.Trace, simulation}
	}
	if o.Requests != nil {
		w.requests = func(point experiment.Point, seed int64) (RequestSink, error) {
			return o.Requests(simulation, point, seed)
		}
	}
	return w
}

// simulateKept is simulateOne that may keep a trace.
func simulateKept(ctx context.Context, p *experiment.Plan, traces trace.Set, of experiment.Case, metrics []result.Metric, w observers, keep bool) (experiment.Simulation, error) {
	if !keep || p.Decisions == 0 {
		return simulateOne(ctx, p, traces, of, metrics, w)
	}
	k := &traceKeeper{full: p.FullTrace, requests: p.Decisions, sampled: p.TraceSample > 0}
	w.trace = &tracing{&Tracing{
		Full: p.FullTrace, Sample: p.TraceSample, Thresholds: p.Anomalies,
		To: func(int) (TraceSink, error) { return k, nil },
	}, 0}
	s, err := simulateOne(ctx, p, traces, of, metrics, w)
	if err != nil {
		return experiment.Simulation{}, err
	}
	row, document, err := store.SimulationLines(s)
	if err != nil {
		return experiment.Simulation{}, err
	}
	s.Decisions = k.pack(s.Row.Seed, len(row)+len(document))
	return s, nil
}

// simulateOne runs one simulation.
func simulateOne(ctx context.Context, p *experiment.Plan, traces trace.Set, of experiment.Case, metrics []result.Metric, w observers) (experiment.Simulation, error) {
	in, err := simulatorInputOf(p, traces, of, true)
	if err != nil {
		return experiment.Simulation{}, err
	}
	warmUp, err := findWarmUp(ctx, p, traces, of, &in)
	if err != nil {
		return experiment.Simulation{}, err
	}
	router := in.config.Policies.Routing.Router
	anomalies := watchAnomalies(&in.config, metrics, p.Anomalies)
	defer w.attach(&in.config)()
	ctx, traced, err := w.trace.start(ctx, &in.config)
	if err != nil {
		return experiment.Simulation{}, atPoint(of, err)
	}
	backlog, started, gaps := watchBacklog(&in.config, p, metrics), watchNewReplicas(&in.config), watchScalers(&in.config, p)
	arrivals := watchArrivals(&in.config, backlog)
	requests, err := w.recordRequests(of.Point, of.Seed, &in.config)
	if err != nil {
		return experiment.Simulation{}, traced.close(err)
	}
	replicas := watchReplicas(&in.config, metrics)
	outcome, err := simulation.Run(ctx, in.config)
	if err = errors.Join(traced.close(err), requests.close()); err != nil {
		return experiment.Simulation{}, atPoint(of, err)
	}
	meta, err := metaOf(p, in, outcome, metrics, arrivals.end(in.config.Horizon))
	if err != nil {
		return experiment.Simulation{}, atPoint(of, err)
	}
	if idler, ok := router.(policy.Idler); ok {
		meta.Idle = idler.Idle()
	}
	meta.FoundWarmUp = warmUp.of(outcome)
	meta.ReplicaTTFT = replicas
	meta.Anomalies = anomalies.counts()
	if asksForBacklog(metrics) {
		meta.BacklogGrowth = backlog.growth()
	}
	if meta.Traffic = traffic(p, &in.config, backlog, started, gaps, outcome); meta.Traffic != nil {
		meta.Traffic.FullIndexes = fullIndexes(router, in.config.Pools)
		meta.Traffic.ShortPrefix = shortPrefix(&in.scenario.Workload, &in.config)
	}
	s := experiment.Simulation{Series: result.NewSeries(outcome, in.config.Pools, &meta), Steps: in.config.Policies.Faults.Steps()}
	if !p.IsSweep() || s.Series != nil {
		s.Document = result.NewDocument(outcome, meta)
		s.Row = result.NewRow(s.Document, of.Point.ID, metrics)
	} else {
		s.Row = result.RowOf(outcome, meta, of.Point.ID)
		outcome.Recycle()
	}
	s.Row.Share, s.Row.Workload = of.Share, of.Workload
	return s, nil
}

// Config is the simulator's input of a simulation, for those who want to look at it, or look
// on while it runs. The traces must be the plan's. A warm-up that a rule has yet to find is
// not in it. Programs of bundles are not read: where there are some, it cannot run.
func Config(p *experiment.Plan, traces trace.Set, of experiment.Case) (simulator.Config, error) {
	in, err := simulatorInputOf(p, traces, of, false)
	return in.config, err
}

// TrustingConfig is [Config] with the programs of bundles, which run in this process.
func TrustingConfig(p *experiment.Plan, traces trace.Set, of experiment.Case) (simulator.Config, error) {
	in, err := simulatorInputOf(p, traces, of, true)
	return in.config, err
}

// simulatorInput is what one simulation is made of.
type simulatorInput struct {
	tree     experiment.Tree
	scenario *v1alpha1.Scenario
	config   simulator.Config
	traces   trace.Set
}

// simulatorInputOf makes a simulation ready to run. Its programs are read if they are to run,
// too.
func simulatorInputOf(p *experiment.Plan, traces trace.Set, of experiment.Case, programs bool) (simulatorInput, error) {
	invalid := func(err error) (simulatorInput, error) { return simulatorInput{}, invalidAt(of, err) }
	scenario, typed, router, err := scenarioOf(p, of)
	if err != nil {
		return simulatorInput{}, err
	}
	build := p.Builder.Build
	if of.Workload != "" {
		build = p.Builder.BuildSelection
	}
	if programs {
		router.RunsPrograms()
	}
	traces, err = p.TracesOf(&typed.Workload, traces)
	if errors.Is(err, experiment.ErrNoPart) {
		return invalid(err)
	}
	if err != nil {
		return simulatorInput{}, atPoint(of, err)
	}
	config, errs := build(typed, router, traces, of.Seed, nil)
	if len(errs) > 0 {
		return invalid(errs.ToAggregate())
	}
	config.LongPrompt = p.Anomalies.LongPrompt
	return simulatorInput{tree: scenario, scenario: typed, config: config, traces: traces}, nil
}

// treeAt is the scenario of a simulation as it is stated.
func treeAt(p *experiment.Plan, of experiment.Case) (experiment.Tree, error) {
	tree, err := p.ScenarioAt(of.Point, of.Share)
	if err != nil {
		return nil, invalidAt(of, err)
	}
	return p.Under(tree, of.Workload), nil
}

// scenarioOf resolves the scenario of a simulation.
func scenarioOf(p *experiment.Plan, of experiment.Case) (experiment.Tree, *v1alpha1.Scenario, *setup.Routing, error) {
	scenario, err := treeAt(p, of)
	if err != nil {
		return nil, nil, nil, err
	}
	decode := p.Builder.Decode
	if of.Workload != "" {
		decode = p.Builder.DecodeSelection
	}
	typed, router, errs := decode(scenario, nil)
	if len(errs) > 0 {
		return nil, nil, nil, invalidAt(of, errs.ToAggregate())
	}
	return scenario, typed, router, nil
}

// invalidAt is the error of a simulation whose values do not go together.
func invalidAt(of experiment.Case, err error) error {
	return atPoint(of, fmt.Errorf("%w: %w", ErrInvalidPoint, err))
}

// atPoint says which simulation an error is of.
func atPoint(of experiment.Case, err error) error {
	if of.Workload != "" {
		err = fmt.Errorf("workload %s: %w", of.Workload, err)
	}
	return fmt.Errorf("point %d (%s), seed %d: %w", of.Point.ID, of.Point, of.Seed, err)
}
