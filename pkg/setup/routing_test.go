// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// routedBy replaces the EPP by a policy.
func routedBy(routing v1alpha1.RoutingPolicy) func(*v1alpha1.Scenario) {
	return func(s *v1alpha1.Scenario) {
		s.Router.EndpointPickerConfig = v1alpha1.EndpointPickerConfig{}
		s.Router.Policies = &v1alpha1.Policies{Routing: routing}
	}
}

func weightedBy(scorers ...v1alpha1.RoutingScorer) v1alpha1.RoutingPolicy {
	return v1alpha1.RoutingPolicy{Policy: "weighted", Scorers: scorers}
}

func TestBuildNativePolicy(t *testing.T) {
	tests := map[string]struct {
		routing v1alpha1.RoutingPolicy
		more    func(*v1alpha1.Scenario)
		want    string
	}{
		"weighted":    {weightedBy(v1alpha1.RoutingScorer{Name: "queue-depth", Weight: "2"}), nil, "setup.explainedRouter"},
		"round-robin": {v1alpha1.RoutingPolicy{Policy: "round-robin"}, nil, "setup.explainedRouter"},
		"several":     {v1alpha1.RoutingPolicy{Policy: "random"}, func(s *v1alpha1.Scenario) { s.Router.Replicas = 3 }, "setup.explainedRouters"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			config := mustBuild(t, func(s *v1alpha1.Scenario) {
				routedBy(tc.routing)(s)
				if tc.more != nil {
					tc.more(s)
				}
			})
			if got := fmt.Sprintf("%T", config.Policies.Routing.Router); got != tc.want {
				t.Errorf("a %s, want a %s", got, tc.want)
			}
		})
	}
}

func TestNativePolicyValidation(t *testing.T) {
	const at = "spec.scenario.router.policies.routing."
	tests := map[string]struct {
		routing v1alpha1.RoutingPolicy
		want    string
	}{
		"no such policy":    {v1alpha1.RoutingPolicy{Policy: "round-robbin"}, at + `policy: Invalid value: "round-robbin": unknown policy`},
		"no such scorer":    {weightedBy(v1alpha1.RoutingScorer{Name: "queue-dept", Weight: "1"}), at + `scorers[0].name: Invalid value: "queue-dept": unknown scorer`},
		"a weight of 0":     {v1alpha1.RoutingPolicy{Policy: "weighted", Weights: v1alpha1.NormalizedWeights, Scorers: []v1alpha1.RoutingScorer{{Name: "queue-depth", Weight: "0"}}}, at + "scorers[0].weight: Invalid value: 0: must be greater than 0"},
		"a bad parameter":   {weightedBy(v1alpha1.RoutingScorer{Name: "oracle-prefix", Weight: "1", Parameters: map[string]v1alpha1.PolicyParameter{"tiers": "some"}}), at + "scorers[0].parameters"},
		"no such parameter": {weightedBy(v1alpha1.RoutingScorer{Name: "queue-depth", Weight: "1", Parameters: map[string]v1alpha1.PolicyParameter{"depth": "1"}}), at + "scorers[0].parameters"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, errs := build(t, routedBy(tc.routing))
			if len(errs) != 1 || !strings.HasPrefix(errs[0], tc.want) {
				t.Errorf("got %q, want %s…", errs, tc.want)
			}
		})
	}
}
