// SPDX-License-Identifier: Apache-2.0

package evaluate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/evaluate"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/manifest"
)

// sweepOf is a sweep over the scenario of the small run.
func sweepOf(t *testing.T, edit func(*v1alpha1.PolicySweepSpec)) *v1alpha1.PolicySweep {
	t.Helper()
	run := experimenttest.Run(t)
	sweep := &v1alpha1.PolicySweep{ObjectMeta: run.ObjectMeta, Spec: v1alpha1.PolicySweepSpec{Scenario: run.Spec.Scenario, Replications: run.Spec.Replications}}
	edit(&sweep.Spec)
	return sweep
}

// The objectives and constraints of a sweep score a policy in its scenario.
func TestTheScenarioOfASweep(t *testing.T) {
	sweep := sweepOf(t, func(s *v1alpha1.PolicySweepSpec) {
		s.Objectives = []v1alpha1.Objective{{Metric: "ttft.p99", Direction: "Minimize"}, {Metric: "goodput", Direction: "Maximize"}}
		s.Constraints = []v1alpha1.Constraint{{Metric: "ttft.p99", Operator: "AtMost", Value: "100ms"}, {Metric: "completionRate", Operator: "AtLeast", Value: "50%"}}
	})
	s, errs, err := evaluate.NewSweepScenario(t.Context(), sweep, "", nil, experimenttest.TraceInputs(t))
	if err != nil || len(errs) > 0 {
		t.Fatal(errs, err)
	}
	want := []evaluate.Goal{
		{Name: "ttft.p99", Metric: "ttft.p99", Direction: "Minimize", Weight: 1, Target: new(0.1)},
		{Name: "goodput", Metric: "goodput", Direction: "Maximize", Weight: 1},
		{Name: "completionRate", Metric: "completionRate", Direction: "Maximize", Weight: 1, Target: new(0.5)},
	}
	if diff := cmp.Diff(want, s.Goals, cmpopts.IgnoreUnexported(evaluate.Goal{})); diff != "" {
		t.Errorf("goals (-want +got):\n%s", diff)
	}
	p := policyOf(t, leastBusy, evaluate.Starlark, evaluate.Program{})
	got, of := answerOf(t, s, p), answerOf(t, scenarioOf(t, nil), p)
	if diff := cmp.Diff(of.Metrics, got.Metrics); diff != "" || got.ScenarioID != of.ScenarioID {
		t.Errorf("the sweep's scenario is another one (-run +sweep):\n%s", diff)
	}
}

func TestSweepsThatCannotBeEvaluated(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*v1alpha1.PolicySweepSpec)
		path string
	}{
		"workloads":  {func(s *v1alpha1.PolicySweepSpec) { s.Workloads = []v1alpha1.SweepWorkload{{Name: "a"}} }, "spec.workloads"},
		"a proposal": {func(s *v1alpha1.PolicySweepSpec) { s.Proposal = &v1alpha1.Proposal{} }, "spec.proposal"},
		"a latency without a bound": {func(s *v1alpha1.PolicySweepSpec) {
			s.Objectives = []v1alpha1.Objective{{Metric: "goodput", Direction: "Maximize"}, {Metric: "e2e.p99", Direction: "Minimize"}}
		}, "spec.objectives[1]"},
		"a bound of no unit": {func(s *v1alpha1.PolicySweepSpec) {
			s.Constraints = []v1alpha1.Constraint{{Metric: "e2e.p99", Operator: "AtMost", Value: "3"}}
		}, "spec.constraints[0]"},
		"no such metric": {func(s *v1alpha1.PolicySweepSpec) {
			s.Objectives = []v1alpha1.Objective{{Metric: "x", Direction: "Minimize"}}
		}, "spec.objectives[0]"},
		"nothing to score by": {func(s *v1alpha1.PolicySweepSpec) { s.Scenario.SLOs = nil }, "spec.scenario.slos"},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs, err := evaluate.NewSweepScenario(t.Context(), sweepOf(t, tc.edit), "", nil, experimenttest.TraceInputs(t))
			if err != nil || len(errs) != 1 || errs[0].Field != tc.path {
				t.Errorf("%v %v, want one at %s", errs, err, tc.path)
			}
		})
	}
}

// A policy takes the place of the router of one model, and leaves the others.
func TestTheRouterOfAModel(t *testing.T) {
	run := experimenttest.Run(t)
	experimenttest.ServeTwoModels(&run.Spec.Scenario)
	manifest.Default(run)
	small := run.Spec.Scenario.Routers[0].Model
	random := policyOf(t, bundleHead+"routing: {builtIn: {policy: random}}", evaluate.Bundle, evaluate.Program{})
	answers := map[string]*evaluate.Answer{}
	for _, model := range []string{small, experimenttest.Large} {
		s, errs, err := evaluate.NewScenario(t.Context(), run, model, nil, experimenttest.TraceInputs(t))
		if err != nil || len(errs) > 0 {
			t.Fatal(errs, err)
		}
		answers[model] = answerOf(t, s, random)
		faulty := answerOf(t, s, policyOf(t, bundleHead+"routing: {builtIn: {policy: x}}", evaluate.Bundle, evaluate.Program{}))
		if faulty.OK || faulty.Error.Message[:len("bundle.routing.builtIn.policy")] != "bundle.routing.builtIn.policy" {
			t.Errorf("%s: %v", model, faulty.Error)
		}
	}
	if a, b := answers[small], answers[experimenttest.Large]; !a.OK || !b.OK || a.Key == b.Key || cmp.Equal(a.Metrics, b.Metrics) {
		t.Errorf("%v and %v", a.Error, b.Error)
	}
	for model, want := range map[string]string{"": "Required value", "x": "Unsupported value"} {
		if _, errs, err := evaluate.NewScenario(t.Context(), run, model, nil, experimenttest.TraceInputs(t)); err != nil || len(errs) != 1 || errs[0].Field != "model" || errs[0].Error()[:len("model: "+want)] != "model: "+want {
			t.Errorf("%q: %v %v", model, errs, err)
		}
	}
	if _, errs, _ := evaluate.NewScenario(t.Context(), experimenttest.Run(t), small, nil, experimenttest.TraceInputs(t)); len(errs) != 1 || errs[0].Field != "model" {
		t.Errorf("a model of one router: %v", errs)
	}
}
