// SPDX-License-Identifier: Apache-2.0

package compile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
)

func TestFaultsOfParametersThatEvolve(t *testing.T) {
	parameter := func(s *v1alpha1.PolicySweep) *v1alpha1.Parameter { return &s.Spec.Parameters[0] }
	add := func(p v1alpha1.Parameter) func(*v1alpha1.PolicySweep) {
		return func(s *v1alpha1.PolicySweep) { s.Spec.Parameters, s.Spec.Baseline = append(s.Spec.Parameters, p), nil }
	}
	for name, test := range map[string]struct {
		edit func(*v1alpha1.PolicySweep)
		want string
	}{
		"another path": {func(s *v1alpha1.PolicySweep) { parameter(s).Path = "router.policies" },
			`spec.parameters[0].path: Invalid value: "router.policies": must be router.policies.bundle, or with routers routers[MODEL].policies.bundle, since the policies of a bundle evolve`},
		"a path into the bundle": {func(s *v1alpha1.PolicySweep) { parameter(s).Path = "router.policies.bundle.routing" },
			`spec.parameters[0].path: Invalid value: "router.policies.bundle.routing": must be router.policies.bundle, or with routers routers[MODEL].policies.bundle, since the policies of a bundle evolve`},
		"no bundle": {func(s *v1alpha1.PolicySweep) {
			s.Spec.Scenario.Router.Policies = &v1alpha1.Policies{Routing: v1alpha1.RoutingPolicy{Policy: "random"}}
		}, `spec.parameters[0].path: Invalid value: "router.policies.bundle": the router has no bundle: state the one that the policies evolve from`},
		"a component that is not there": {func(s *v1alpha1.PolicySweep) {
			parameter(s).Evolve.Components = []v1alpha1.BundleComponent{"admission"}
		},
			`spec.parameters[0].evolve.components[0]: Invalid value: "admission": the bundle of the scenario has no such component`},
		"a condition": {func(s *v1alpha1.PolicySweep) {
			parameter(s).When = &v1alpha1.ParameterCondition{Parameter: "x", Values: []string{"1"}}
		}, `spec.parameters[0].when: Forbidden: a parameter that evolves exists at every point`},
		"another algorithm": {func(s *v1alpha1.PolicySweep) {
			s.Spec.Search = v1alpha1.Search{Algorithm: v1alpha1.RandomSearch, MaxTrials: 10}
		}, `spec.search.algorithm: Invalid value: "Random": must be MAPElites, since a parameter evolves`},
		"a large generation": {func(s *v1alpha1.PolicySweep) { s.Spec.Search.GenerationSize = ptr.To(int32(49)) },
			`spec.search.generationSize: Invalid value: 49: must be at most 48 where a parameter evolves: the policies of a generation go into one ConfigMap`},
		"many trials": {func(s *v1alpha1.PolicySweep) { s.Spec.Search.MaxTrials = 10_001 },
			`spec.search.maxTrials: Invalid value: 10001: must be at most 10000 where a parameter evolves`},
		"a baseline that nobody knows": {func(s *v1alpha1.PolicySweep) { s.Spec.Baseline.Parameters[0].Value = "0123456789ab" },
			`spec.baseline.parameters[0].value: Invalid value: "0123456789ab": must be scenario: the policy that the others evolve from`},
		"a second one": {add(v1alpha1.Parameter{Name: "other", Path: "router.policies.bundle", Evolve: &v1alpha1.Evolution{MaxNodes: 9}}),
			`spec.parameters[1].path: Duplicate value: "router.policies.bundle"; spec.parameters[1].evolve: Forbidden: parameter policy evolves, and one parameter can: make a sweep for each router`},
		"a parameter within the bundle": {add(v1alpha1.Parameter{Name: "other", Path: "router.policies.bundle.routing.decisionTree.root.value", Values: []string{"1"}}),
			`spec.parameters[1].path: Invalid value: "router.policies.bundle.routing.decisionTree.root.value": parameter policy evolves what is there`},
		"other routers": {add(v1alpha1.Parameter{Name: "other", Path: "router", Alternatives: []v1alpha1.Alternative{
			{Name: "random", Router: &v1alpha1.Router{MetricsRefreshInterval: "50ms", Policies: &v1alpha1.Policies{Routing: v1alpha1.RoutingPolicy{Policy: "random"}}}},
		}}), `spec.parameters[1].path: Invalid value: "router": parameter policy evolves the bundle of this router`},
		"a form that policies lack": {func(s *v1alpha1.PolicySweep) {
			s.Spec.Promote = &v1alpha1.Promotion{Format: v1alpha1.HelmValuesFormat, When: v1alpha1.PromoteWhenComplete}
		}, `spec.promote.format: Invalid value: "HelmValues": must be Source or Document, since a policy that evolves is written as a document`},
		"a proposer without a host": {func(s *v1alpha1.PolicySweep) {
			parameter(s).Evolve.Proposer = &v1alpha1.Proposer{URL: "http://:8080/propose", TimeoutSeconds: 5}
		}, `spec.parameters[0].evolve.proposer.url: Invalid value: "http://:8080/propose": must be a URL such as https://proposer.example/propose`},
		"a rule on policies": {func(s *v1alpha1.PolicySweep) {
			s.Spec.Rules = []v1alpha1.ParameterRule{{Expression: "policy > 1"}}
		}, `spec.rules[0].expression: Invalid value: "policy > 1": column 1: parameter "policy" evolves, so its values are no numbers and no labels`},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs, err := compile.Sweep(t.Context(), experimenttest.EvolvingSweep(t, test.edit), experimenttest.Inputs{})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for i, e := range errs {
				if i > 0 {
					got += "; "
				}
				got += e.Error()
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("errors (−want +got):\n%s", diff)
			}
		})
	}
}

// The plan says what programs may ask for, so that workers make the same policies.
func TestPlansHoldHowPoliciesEvolve(t *testing.T) {
	c := experimenttest.MustCompileSweep(t, experimenttest.EvolvingSweep(t, func(s *v1alpha1.PolicySweep) {
		s.Spec.Parameters[0].Evolve.Components = []v1alpha1.BundleComponent{"routing"}
	}))
	want := &experiment.Evolution{Components: []sandbox.Component{sandbox.Routing}, MaxNodes: 9, Tenants: []string{"default"}, Classes: []string{"default"}, AnyLabel: true}
	if diff := cmp.Diff(want, c.Plan.Parameters[0].Evolve); diff != "" {
		t.Errorf("(−want +got):\n%s", diff)
	}
}

// A parameter of numbers goes beside the policies.
func TestNumbersGoBesidePoliciesThatEvolve(t *testing.T) {
	sweep := experimenttest.EvolvingSweep(t, func(s *v1alpha1.PolicySweep) {
		s.Spec.Parameters = append(s.Spec.Parameters, v1alpha1.Parameter{Name: "seqs", Path: "pools[llama].engine.maxNumSeqs", Range: &v1alpha1.Range{Min: "8", Max: "64"}})
		s.Spec.Baseline.Parameters = append(s.Spec.Baseline.Parameters, v1alpha1.Assignment{Name: "seqs", Value: "32"})
	})
	experimenttest.MustCompileSweep(t, sweep)
}
