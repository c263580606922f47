// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"context"
	"errors"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/setup"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// ErrWatched says that an observer wants to look into a simulation that runs behind a fence.
// What passes a fence is a result, and not each decision or request of it: they would be more
// bytes than the simulation is worth, from an untrusted process.
var ErrWatched = errors.New("code in the policy bundle runs in a process of its own, which tells its results only, and no single decisions and requests")

// A Fence runs simulations of untrusted code, apart from this process.
type Fence interface {
	// Simulate does what [Inside] does. The traces are the plan's. A simulation that goes
	// beyond its limits has an error that wraps a [policy.Fault].
	Simulate(ctx context.Context, p *experiment.Plan, traces trace.Set, of experiment.Case, o InsideOptions) (experiment.Simulation, error)
}

// InsideOptions are the [Options] that pass a fence.
type InsideOptions struct {
	CheckInvariants, KeepDecisions bool
	Series                         int
}

// Inside runs one simulation in this process, whatever code it has. The traces must be the
// plan's.
func Inside(ctx context.Context, p *experiment.Plan, traces trace.Set, of experiment.Case, o InsideOptions) (experiment.Simulation, error) {
	metrics, err := MetricsOf(p, of)
	if err != nil {
		return experiment.Simulation{}, err
	}
	local := Options{CheckInvariants: o.CheckInvariants, KeepDecisions: o.KeepDecisions, Series: o.Series}
	return local.simulate(ctx, p, traces, of, metrics, 0)
}

// MetricsOf are those of the row of a simulation.
func MetricsOf(p *experiment.Plan, of experiment.Case) ([]result.Metric, error) {
	criteria, errs := p.Criteria(nil)
	if len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	return experiment.MetricsUnder(criteria.Metrics(), of.Workload), nil
}

// simulate runs one simulation, behind the fence if it needs that. What is wrong with a point
// of a sweep is its result.
func (o *Options) simulate(ctx context.Context, p *experiment.Plan, traces trace.Set, of experiment.Case, metrics []result.Metric, i int) (experiment.Simulation, error) {
	s, err := o.fenced(ctx, p, traces, of, metrics)
	if errors.Is(err, errNoFence) {
		s, err = simulateKept(ctx, p, traces, of, metrics, o.watch(i), o.KeepDecisions)
	}
	var fault *policy.Fault
	if p.IsSweep() && ctx.Err() == nil && (errors.Is(err, ErrInvalidPoint) || errors.As(err, &fault)) {
		return experiment.Simulation{Row: result.Row{
			Key: p.CaseKey(of, metrics), Point: of.Point.ID, Share: of.Share, Seed: of.Seed, Workload: of.Workload,
			Error: err.Error(), ByMachine: fault != nil && fault.OfMachine(),
		}}, nil
	}
	return s, err
}

// errNoFence says that a simulation may run in this process.
var errNoFence = errors.New("no fence")

// fenced runs a simulation behind the fence. The error is errNoFence where it needs none.
func (o *Options) fenced(ctx context.Context, p *experiment.Plan, traces trace.Set, of experiment.Case, metrics []result.Metric) (experiment.Simulation, error) {
	if o.Fence == nil {
		return experiment.Simulation{}, errNoFence
	}
	foreign, err := NeedsFence(p, of)
	switch {
	case err != nil:
		return experiment.Simulation{}, err
	case !foreign:
		return experiment.Simulation{}, errNoFence
	case o.Trace != nil || o.Requests != nil:
		return experiment.Simulation{}, ErrWatched
	}
	s, err := o.Fence.Simulate(ctx, p, traces, of, InsideOptions{o.CheckInvariants, o.KeepDecisions, o.Series})
	if err != nil {
		return experiment.Simulation{}, err
	}
	if err := CheckAnswer(p, of, metrics, &s); err != nil {
		return experiment.Simulation{}, err
	}
	return s, nil
}

// NeedsFence reports whether a simulation may run untrusted code.
func NeedsFence(p *experiment.Plan, of experiment.Case) (bool, error) {
	tree, err := treeAt(p, of)
	if err != nil || !setup.HasBundle(tree) {
		return false, err
	}
	scenario, err := statedAt(of, tree)
	return err == nil && setup.Foreign(scenario), err
}

// ProgramLimits are those that the bundles of a simulation state.
func ProgramLimits(p *experiment.Plan, of experiment.Case) (bundle.Limits, error) {
	tree, err := treeAt(p, of)
	if err != nil {
		return bundle.Limits{}, err
	}
	scenario, err := statedAt(of, tree)
	if err != nil {
		return bundle.Limits{}, err
	}
	return setup.ProgramLimits(scenario), nil
}

// statedAt is the scenario of a simulation without the configuration of its EPPs, which takes most
// of the time that a scenario takes to decode.
func statedAt(of experiment.Case, tree experiment.Tree) (*v1alpha1.Scenario, error) {
	scenario, err := setup.DecodeScenario(tree)
	if err != nil {
		return nil, invalidAt(of, err)
	}
	return scenario, nil
}

// CheckAnswer says whether the answer of a fence is about another simulation.
func CheckAnswer(p *experiment.Plan, of experiment.Case, metrics []result.Metric, s *experiment.Simulation) error {
	if key := p.CaseKey(of, metrics); s.Row.Key != key || s.Row.Point != of.Point.ID || s.Row.Seed != of.Seed || s.Row.Workload != of.Workload || s.Row.Share != of.Share {
		return atPoint(of, &policy.Fault{Stage: policy.RunStage, Kind: policy.CrashFault, Message: "its process answered with the result of another simulation"})
	}
	return nil
}

// Foreign reports whether the base of a plan, or one of its trials, may run untrusted
// code.
func Foreign(p *experiment.Plan) bool {
	for _, variant := range p.Variants() {
		if scenario, err := setup.DecodeScenario(variant.Scenario); err == nil && setup.Foreign(scenario) {
			return true
		}
	}
	return false
}
