// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/setup"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// A Scenario is what policies are evaluated in. It is immutable.
type Scenario struct {
	// ID is the digest of the resolved scenario and of its traces.
	ID   string
	Name string
	// Seeds are those of the object.
	Seeds []int64
	Goals []Goal

	model   string // of the router that a policy takes the place of; empty for the only one
	encoded []byte // the plan
	traces  trace.Set
	base    bundle.Bundle
}

// NewScenario reads the scenario of a run, and what scores a policy: the objectives, or else
// the run's gates, or else the goodput. The model says whose router a policy takes the place of
// where there are several; it is empty where there is one. Errors are at the fields of the run,
// at model, and at objectives[i].
func NewScenario(ctx context.Context, run *v1alpha1.SimulationRun, model string, objectives []Objective, inputs compile.Inputs) (*Scenario, field.ErrorList, error) {
	at := field.NewPath("spec", "scenario")
	router, errs := routerOf(&run.Spec.Scenario, model)
	if len(errs) > 0 {
		return nil, errs, nil
	}
	byGates := len(objectives) == 0 && len(run.Spec.Gates) > 0
	if len(objectives) == 0 {
		if objectives = stated(run); objectives == nil {
			return nil, field.ErrorList{field.Required(at.Child("slos"), "nothing scores a policy: state SLOs, spec.gates or objectives")}, nil
		}
	}
	var gates []v1alpha1.Gate
	for i := range objectives {
		gates = append(gates, objectives[i].gate(i))
	}
	c, errs, err := compile.Compared(ctx, run, gates, inputs)
	if err != nil || len(errs) > 0 {
		if !byGates {
			errs = aboutObjectives(errs)
		}
		return nil, errs, err
	}
	s := &Scenario{Name: run.Name, model: model, Seeds: slices.Clone(c.Plan.Seeds), traces: c.Traces}
	if s.Goals, errs = goalsOf(run, objectives); len(errs) > 0 {
		return nil, errs, nil
	}
	s.base = baseOf(router, experiment.Lookup(c.Plan.Scenario, experiment.BundlePath(model)))
	s.ID = idOf(c.Plan)
	s.encoded = c.Plan.Encode()
	return s, s.check(at), nil
}

// routerOf is the router of a name, or else of a model, or the only one where that is empty.
func routerOf(in *v1alpha1.Scenario, model string) (*v1alpha1.Router, field.ErrorList) {
	at := field.NewPath("model")
	var models []string
	for i := range in.Routers {
		if in.Routers[i].Key() == model {
			return &in.Routers[i].Router, nil
		}
		models = append(models, in.Routers[i].Key())
	}
	switch {
	case len(models) == 0 && model == "":
		return &in.Router, nil
	case len(models) == 0:
		return nil, field.ErrorList{field.Forbidden(at, "the scenario has one router")}
	case model == "":
		return nil, field.ErrorList{field.Required(at, "the scenario has several routers, and a policy takes the place of one: state one of "+strings.Join(models, ", "))}
	default:
		return nil, field.ErrorList{field.NotSupported(at, model, models)}
	}
}

// stated are the objectives that a run states: its gates, or the goodput where it has SLOs.
func stated(run *v1alpha1.SimulationRun) []Objective {
	var all []Objective
	for i := range run.Spec.Gates {
		all = append(all, objectiveOf(&run.Spec.Gates[i]))
	}
	in := &run.Spec.Scenario
	promised := len(in.SLOs) > 0 || slices.ContainsFunc(in.Workload.Tenants, func(t v1alpha1.Tenant) bool { return t.SLO != nil })
	if all == nil && promised {
		all = []Objective{{Metric: "goodput", Weight: 1}}
	}
	return all
}

// aboutObjectives moves errors of the gates that stand for objectives to these.
func aboutObjectives(errs field.ErrorList) field.ErrorList {
	for _, e := range errs {
		if rest, is := strings.CutPrefix(e.Field, "spec.gates["); is {
			number, _, _ := strings.Cut(rest, "]")
			e.Field = "objectives[" + number + "]"
		}
	}
	return errs
}

func goalsOf(run *v1alpha1.SimulationRun, objectives []Objective) ([]Goal, field.ErrorList) {
	var derived []result.Derived
	for _, m := range run.Spec.Metrics {
		derived = append(derived, result.Derived{Name: m.Name, Expression: m.Expression})
	}
	measures, errs := result.NewMeasures(derived, field.NewPath("spec", "metrics"))
	if len(errs) > 0 {
		return nil, errs
	}
	return goals(objectives, measures)
}

// idOf is the digest of what a plan simulates.
func idOf(p *experiment.Plan) string {
	of := p.KeyOf(p.Scenario, nil)
	return digest(string(mustJSON(struct {
		Scenario any
		Trace    string
		Traces   []string
	}{of.Scenario, of.Trace, of.Traces})))
}

// baseOf is the bundle that components of a policy go into: that of the router; or else its
// own native routing; or else, in the place of an EPP, the sum of scorers that the EPP has by
// default.
func baseOf(router *v1alpha1.Router, document any) bundle.Bundle {
	b := bundle.Bundle{APIVersion: bundle.APIVersion, Kind: bundle.Kind}
	policies := router.Policies
	switch {
	case policies == nil:
		b.Routing = &bundle.Component{BuiltIn: &bundle.BuiltIn{Policy: "weighted", Scorers: []bundle.Scorer{
			{Name: "prefix-affinity", Weight: 3}, {Name: "queue-depth", Weight: 2}, {Name: "kv-utilization", Weight: 2},
		}}}
	case policies.Bundle != nil:
		stated, errs := bundle.Read(setup.TreeJSON(document), nil)
		if len(errs) > 0 {
			panic(fmt.Sprintf("evaluate: the bundle of a scenario that was compiled: %v", errs.ToAggregate()))
		}
		return *stated
	default:
		b.Routing = &bundle.Component{BuiltIn: builtIn(&policies.Routing)}
	}
	return b
}

// builtIn is a native routing as a bundle states it.
func builtIn(in *v1alpha1.RoutingPolicy) *bundle.BuiltIn {
	texts := func(in map[string]v1alpha1.PolicyParameter) map[string]bundle.Text {
		all := map[string]bundle.Text{}
		for name, value := range in {
			all[name] = bundle.Text(value)
		}
		return all
	}
	out := &bundle.BuiltIn{Policy: in.Policy, Parameters: texts(in.Parameters)}
	if in.Weights == v1alpha1.NormalizedWeights {
		out.Weights = bundle.Normalized
	}
	for _, s := range in.Scorers {
		out.Scorers = append(out.Scorers, bundle.Scorer{Name: s.Name, Weight: s.Weight.Float(), Parameters: texts(s.Parameters)})
	}
	return out
}

// check says why the scenario cannot have a bundle.
func (s *Scenario) check(path *field.Path) field.ErrorList {
	plan := s.planWith(&s.base)
	typed, router, errs := setup.Decode(plan.Scenario, path)
	if len(errs) > 0 {
		return errs
	}
	_, errs = plan.Builder.Build(typed, router, s.traces, 0, path)
	return errs
}

// planWith is the plan of the scenario with a bundle in the place of its router's policies,
// and of the admission and the priority that the bundle has.
func (s *Scenario) planWith(b *bundle.Bundle) *experiment.Plan {
	plan, err := experiment.DecodePlan(s.encoded)
	if err != nil {
		panic(fmt.Sprintf("evaluate: %v", err))
	}
	document, err := setup.BundleDocument(b.Canonical())
	if err != nil {
		panic(fmt.Sprintf("evaluate: a bundle that was read: %v", err))
	}
	router := experiment.Lookup(plan.Scenario, experiment.RouterPath(s.model)).(experiment.Tree)
	delete(router, "endpointPickerConfig")
	router["policies"] = experiment.Tree{"bundle": document}
	if b.Admission != nil {
		delete(router, "admission")
	}
	if b.Priority != nil {
		delete(router, "priority")
	}
	return plan
}
