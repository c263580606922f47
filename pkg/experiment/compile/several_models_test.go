// SPDX-License-Identifier: Apache-2.0

package compile_test

import (
	"slices"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/setup"
)

// twoModels is a run of two models, edited, with the schema's defaults.
func twoModels(t *testing.T, edit func(*v1alpha1.Scenario)) *v1alpha1.SimulationRun {
	t.Helper()
	run := experimenttest.Run(t)
	experimenttest.ServeTwoModels(&run.Spec.Scenario)
	edit(&run.Spec.Scenario)
	manifest.Default(run)
	return run
}

func TestScenariosOfSeveralModelsThatAreRefused(t *testing.T) {
	const scenario = "spec.scenario."
	tests := map[string]struct {
		edit func(*v1alpha1.Scenario)
		path string
		text string
	}{
		"a client without a model": {
			func(s *v1alpha1.Scenario) { s.Workload.Clients[0].Model = "" },
			"workload.clients[0].model", `name one of the models that are served: "meta-llama/Llama-3.1-8B-Instruct", "meta-llama/Llama-3.1-70B-Instruct"`,
		},
		"a client with a model that no pool serves": {
			func(s *v1alpha1.Scenario) { s.Workload.Clients[1].Model = "gpt-5" },
			"workload.clients[1].model", "no pool serves this model",
		},
		"a router without a pool": {
			func(s *v1alpha1.Scenario) { s.Pools = s.Pools[:1] },
			"routers[1].model", "no pool serves this model",
		},
		"a pool without a router": {
			func(s *v1alpha1.Scenario) {
				s.Pools = append(s.Pools, v1alpha1.Pool{Name: "third", Model: "Qwen/Qwen3-8B", Accelerator: "h100-sxm"})
			},
			"pools[2].model", "supported values",
		},
		"pools of one model apart": {
			func(s *v1alpha1.Scenario) {
				more := s.Pools[0]
				more.Name = "more"
				s.Pools = append(s.Pools, more)
			},
			"pools[2].model", "move this pool after pool llama",
		},
		"a configuration that the EPP refuses": {
			func(s *v1alpha1.Scenario) {
				s.Routers[1].EndpointPickerConfig.Inline = new("plugins: [{type: nothing}]")
			},
			"routers[1].endpointPickerConfig.inline", "",
		},
		"a policy that is not there": {
			func(s *v1alpha1.Scenario) {
				s.Routers[1].Router = v1alpha1.Router{Policies: &v1alpha1.Policies{Routing: v1alpha1.RoutingPolicy{Policy: "round-robbin"}}}
			},
			"routers[1].policies.routing.policy", "unknown policy",
		},
		"a stage that the model's pools lack": {
			func(s *v1alpha1.Scenario) { s.Pools[1].Role = v1alpha1.PrefillRole },
			"pools[1].role", "no pool decodes",
		},
		"an adapter that the model's pools do not serve": {
			func(s *v1alpha1.Scenario) {
				s.Pools[0].Adapters = &v1alpha1.Adapters{Max: 2}
				s.Workload.Clients[1].Adapter = "contracts"
			},
			"pools[1].adapters.max", "client agents asks for the adapter contracts",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, errs, err := compile.Run(t.Context(), twoModels(t, tc.edit), experimenttest.TraceInputs(t))
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range errs {
				if strings.HasPrefix(e.Field, scenario+tc.path) && strings.Contains(e.Error(), tc.text) {
					return
				}
			}
			t.Errorf("errors are %v, want one at %s%s with %q", errs, scenario, tc.path, tc.text)
		})
	}
}

func TestAModelThatTheOnlyRouterDoesNotServe(t *testing.T) {
	run := experimenttest.Run(t)
	run.Spec.Scenario.Workload.Clients[0].Model = "gpt-5"
	_, errs, err := compile.Run(t.Context(), run, experimenttest.TraceInputs(t))
	if err != nil || len(errs) != 1 || errs[0].Field != "spec.scenario.workload.clients[0].model" {
		t.Errorf("errors are %v, %v", errs, err)
	}
	named, unnamed := experimenttest.Run(t), experimenttest.Run(t)
	named.Spec.Scenario.Workload.Clients[0].Model = named.Spec.Scenario.Pools[0].Model
	metrics := func(run *v1alpha1.SimulationRun) string {
		c := experimenttest.MustCompileRun(t, run)
		d := experimenttest.MustSimulate(t, c, experimenttest.AllSimulations(t, c.Plan))[0].Document
		if d.Models != nil {
			t.Errorf("a run of one model has figures by model: %v", d.Models)
		}
		d.Key = ""
		return string(setup.TreeJSON(d))
	}
	if metrics(named) != metrics(unnamed) {
		t.Error("naming the only model changes the result")
	}
}

const largeWeight = "routers[" + experimenttest.Large + "].endpointPickerConfig.schedulingProfiles[default].plugins[queue-scorer].weight"

// twoModelsSweep varies the weight of the second model's router.
func twoModelsSweep(t *testing.T, edit func(*v1alpha1.PolicySweep)) *v1alpha1.PolicySweep {
	t.Helper()
	sweep := experimenttest.Sweep(t)
	experimenttest.ServeTwoModels(&sweep.Spec.Scenario)
	sweep.Spec.Parameters = []v1alpha1.Parameter{{Name: "queue", Path: largeWeight, Values: []string{"1", "4"}}}
	sweep.Spec.Objectives = []v1alpha1.Objective{{Metric: "ttft.p99{model=" + experimenttest.Large + "}", Direction: v1alpha1.Minimize}}
	sweep.Spec.Baseline = nil
	if edit != nil {
		edit(sweep)
	}
	manifest.Default(sweep)
	return sweep
}

func TestASweepReachesIntoTheRouterOfAModel(t *testing.T) {
	c := experimenttest.MustCompileSweep(t, twoModelsSweep(t, func(s *v1alpha1.PolicySweep) {
		profiles := experimenttest.Profile("prefix", "prefix-cache-scorer")
		s.Spec.Parameters = append(s.Spec.Parameters, v1alpha1.Parameter{
			Name: "small", Path: "routers[meta-llama/Llama-3.1-8B-Instruct].endpointPickerConfig",
			Profiles: []v1alpha1.Profile{profiles, experimenttest.Profile("queue", "queue-scorer")},
		}, v1alpha1.Parameter{
			Name: "eppReplicas", Path: "routers[" + experimenttest.Large + "].replicas", Values: []string{"1", "2"},
		})
	}))
	simulations := experimenttest.MustSimulate(t, c, experimenttest.AllSimulations(t, c.Plan))
	for _, s := range simulations {
		if s.Row.Error != "" || !slices.ContainsFunc(slices.Collect(keys(s.Row.Metrics.All())), func(name string) bool {
			return name == "ttft.p99{model="+experimenttest.Large+"}"
		}) {
			t.Fatalf("point %d: %q, metrics %v", s.Row.Point, s.Row.Error, s.Row.Metrics)
		}
	}
}

func keys(all func(yield func(string, float64) bool)) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for name := range all {
			if !yield(name) {
				return
			}
		}
	}
}

func TestSweepsOfSeveralModelsThatAreRefused(t *testing.T) {
	tests := map[string]struct {
		edit func(*v1alpha1.PolicySweep)
		path string
		text string
	}{
		"a model without a router": {
			func(s *v1alpha1.PolicySweep) {
				s.Spec.Parameters[0].Path = strings.Replace(largeWeight, experimenttest.Large, "gpt-5", 1)
			},
			"spec.parameters[0].path", "there is no entry [gpt-5]",
		},
		"the only router of several": {
			func(s *v1alpha1.PolicySweep) { s.Spec.Parameters[0].Path = "router.replicas" },
			"spec.parameters[0].values[0]", "exactly one of",
		},
		"profiles of the only router": {
			func(s *v1alpha1.PolicySweep) {
				s.Spec.Parameters[0] = v1alpha1.Parameter{Name: "p", Path: "router.endpointPickerConfig", Profiles: []v1alpha1.Profile{experimenttest.Profile("a", "queue-scorer")}}
			},
			"spec.parameters[0].path", "must be routers[MODEL].endpointPickerConfig",
		},
		"profiles of a model without a router": {
			func(s *v1alpha1.PolicySweep) {
				s.Spec.Parameters[0] = v1alpha1.Parameter{Name: "p", Path: "routers[gpt-5].endpointPickerConfig", Profiles: []v1alpha1.Profile{experimenttest.Profile("a", "queue-scorer")}}
			},
			"spec.parameters[0].path", "there is no entry [gpt-5]",
		},
		"a metric of a model that is not served": {
			func(s *v1alpha1.PolicySweep) { s.Spec.Objectives[0].Metric = "ttft.p99{model=gpt-5}" },
			"spec.objectives[0].metric", "no such model",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, errs, err := compile.Sweep(t.Context(), twoModelsSweep(t, tc.edit), experimenttest.TraceInputs(t))
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range errs {
				if e.Field == tc.path && strings.Contains(e.Error(), tc.text) {
					return
				}
			}
			t.Errorf("errors are %v, want one at %s with %q", errs, tc.path, tc.text)
		})
	}
}

// The linter and the bound on prefix weights name the router that they are about.
func TestFindingsNameTheRouterOfAModel(t *testing.T) {
	run := twoModels(t, func(s *v1alpha1.Scenario) {
		s.Routers[1].EndpointPickerConfig = experimenttest.Profile("", "queue-scorer").EndpointPickerConfig
	})
	c := experimenttest.MustCompileRun(t, run)
	for _, f := range c.Plan.Findings {
		if !strings.HasPrefix(f.Path, "spec.scenario.routers[0]") && !strings.HasPrefix(f.Path, "spec.scenario.routers[1]") {
			t.Errorf("finding at %s: %s", f.Path, f.Message)
		}
	}
	if !slices.ContainsFunc(c.Plan.Findings, func(f experiment.Finding) bool { return strings.HasPrefix(f.Path, "spec.scenario.routers[1]") }) {
		t.Errorf("the linter has nothing on the second router: %v", c.Plan.Findings)
	}
}
