// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/config/crd"
	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
)

// scheduled edits the engine of the only pool, which two tenants use.
func scheduled(edit func(*v1alpha1.Engine)) func(*v1alpha1.Scenario) {
	return func(s *v1alpha1.Scenario) {
		other := *s.Workload.Clients[0].DeepCopy()
		other.Name, other.Tenant = "other", "free"
		s.Workload.Clients = append(s.Workload.Clients, other)
		edit(&s.Pools[0].Engine)
	}
}

// TestPoolsHaveTheSchedulersThatTheyName compares two requests: the first one is short, less
// important and of the tenant with the smaller weight.
func TestPoolsHaveTheSchedulersThatTheyName(t *testing.T) {
	a := scheduling.Job{Turn: 1, Tenant: 0, PromptTokens: 10, PredictedTokens: 5, Priority: 1, Deadline: 70}
	b := scheduling.Job{Turn: 0, Tenant: 1, PromptTokens: 99, PredictedTokens: 5, Priority: 2, Deadline: 60}
	for name, tc := range map[string]struct {
		edit func(*v1alpha1.Engine)
		want bool // a is first
	}{
		"first come":        {func(*v1alpha1.Engine) {}, false},
		"by priority":       {func(e *v1alpha1.Engine) { e.Scheduler = "Priority" }, false},
		"reversed":          {func(e *v1alpha1.Engine) { e.Scheduler = "ReversePriority" }, true},
		"short ones first":  {func(e *v1alpha1.Engine) { e.Scheduler = "ShortestPrompt" }, true},
		"by deadline":       {func(e *v1alpha1.Engine) { e.Scheduler = "EarliestDeadline" }, false},
		"by prediction":     {func(e *v1alpha1.Engine) { e.Scheduler = "ShortestPredicted" }, true},
		"the oracle":        {func(e *v1alpha1.Engine) { e.Scheduler = "ShortestOracle" }, true},
		"fair, both served": {func(e *v1alpha1.Engine) { e.Scheduler = "WeightedFair" }, true},
		"fair, by weight": {func(e *v1alpha1.Engine) {
			e.Scheduler = "WeightedFair"
			e.SchedulerParameters = map[string]v1alpha1.PolicyParameter{"weight:free": "4"}
		}, false},
		"least attained": {func(e *v1alpha1.Engine) { e.Scheduler = "LeastAttainedService" }, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := mustBuild(t, scheduled(tc.edit)).Pools[0].Scheduler()
			if s.Service != nil {
				s.Service.Add(0, 100)
				s.Service.Add(1, 200)
			}
			if got := s.Compare(a, b, 80) < 0; got != tc.want {
				t.Errorf("the first request is served first: %v, want %v", got, tc.want)
			}
		})
	}
}

func TestFaultsOfSchedulers(t *testing.T) {
	const at = "spec.scenario.pools[0].engine."
	for name, tc := range map[string]struct {
		edit func(*v1alpha1.Scenario)
		want []string
	}{
		"a parameter of another scheduler": {
			scheduled(func(e *v1alpha1.Engine) { e.SchedulerParameters = map[string]v1alpha1.PolicyParameter{"error": "1"} }),
			[]string{at + "schedulerParameters[error]: Forbidden: FCFS has no parameters"},
		},
		"a misspelt parameter": {
			scheduled(func(e *v1alpha1.Engine) {
				e.Scheduler = "ShortestPredicted"
				e.SchedulerParameters = map[string]v1alpha1.PolicyParameter{"erorr": "1"}
			}),
			[]string{at + `schedulerParameters[erorr]: Invalid value: "erorr": unknown parameter; there are distribution, error; did you mean "error"?`},
		},
		"a weight of a tenant that nobody names": {
			scheduled(func(e *v1alpha1.Engine) {
				e.Scheduler = "WeightedFair"
				e.SchedulerParameters = map[string]v1alpha1.PolicyParameter{"weight:freee": "1"}
			}),
			[]string{at + `schedulerParameters[weight:freee]: Invalid value: "freee": unknown tenant: no client and no trace names it; there are default, free; did you mean "free"?`},
		},
		"no target to order by": {
			func(s *v1alpha1.Scenario) {
				s.Pools[0].Engine.Scheduler = "EarliestDeadline"
				s.SLOs = []v1alpha1.SLO{{Class: "default", E2E: "9s"}}
			},
			[]string{at + `scheduler: Invalid value: "EarliestDeadline": orders requests by their TTFT targets, and no class or tenant has one: state slos[].ttft or workload.tenants[].slo.ttft`},
		},
		"a tenant's target to order by": {
			func(s *v1alpha1.Scenario) {
				s.Pools[0].Engine.Scheduler = "EarliestDeadline"
				s.SLOs = nil
				s.Workload.Clients[0].Tenant = "paid"
				s.Workload.Tenants = []v1alpha1.Tenant{{Name: "paid", SLO: &v1alpha1.LatencyTargets{TTFT: "1s"}}}
			},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, faults := build(t, tc.edit)
			if diff := cmp.Diff(tc.want, faults); diff != "" {
				t.Errorf("faults (−want +got):\n%s", diff)
			}
		})
	}
}

// The schema lists the schedulers and victims that there are.
func TestAPIListsSchedulers(t *testing.T) {
	raw, err := crd.Bases.ReadFile("bases/sim.windtunnel.dev_simulationruns.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(raw, &definition); err != nil {
		t.Fatal(err)
	}
	scenario := definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties["scenario"]
	engine := scenario.Properties["pools"].Items.Schema.Properties["engine"]
	want := map[string][]string{}
	for _, p := range scheduling.Policies() {
		want["scheduler"] = append(want["scheduler"], p.Name)
	}
	for _, v := range scheduling.Victims() {
		want["victim"] = append(want["victim"], v.Name)
	}
	for field, names := range want {
		var got []string
		for _, value := range engine.Properties[field].Enum {
			got = append(got, strings.Trim(string(value.Raw), `"`))
		}
		if diff := cmp.Diff(names, got); diff != "" {
			t.Errorf("%s (−registry +API):\n%s", field, diff)
		}
	}
}
