// SPDX-License-Identifier: Apache-2.0

package compile_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/manifest"
)

// eppRouter is a router with an EPP configuration of these plugins.
func eppRouter(plugins ...string) v1alpha1.Router {
	return v1alpha1.Router{EndpointPickerConfig: experimenttest.Profile("", plugins...).EndpointPickerConfig}
}

// nativeRouter is a router with a native policy, with these scorers if there are some.
func nativeRouter(policy string, scorers ...string) v1alpha1.Router {
	r := v1alpha1.RoutingPolicy{Policy: policy}
	for _, scorer := range scorers {
		r.Scorers = append(r.Scorers, v1alpha1.RoutingScorer{Name: scorer})
	}
	return v1alpha1.Router{Policies: &v1alpha1.Policies{Routing: r}}
}

// routersSweep is a sweep of four routers, two of them an EPP's, and a baseline.
func routersSweep(edits ...func(*v1alpha1.PolicySweep)) *v1alpha1.PolicySweep {
	sweep := builder.MakeSweep("routers", "ns").
		Alternative("epp", eppRouter("queue-scorer", "prefix-cache-scorer")).
		Alternative("queues", eppRouter("queue-scorer")).
		Alternative("weighted", nativeRouter("weighted", "prefix-affinity", "queue-depth")).
		Alternative("turns", nativeRouter("round-robin")).
		Seeds(1).Obj()
	sweep.Spec.Baseline = &v1alpha1.Baseline{Parameters: []v1alpha1.Assignment{{Name: "router", Value: "epp"}}}
	for _, edit := range edits {
		edit(sweep)
	}
	manifest.Default(sweep)
	return sweep
}

// reaches adds a parameter of two weights that reaches into some alternatives.
func reaches(name, path string, alternatives ...string) func(*v1alpha1.PolicySweep) {
	return func(s *v1alpha1.PolicySweep) {
		p := v1alpha1.Parameter{Name: name, Path: path, Values: []string{"1", "3"}}
		if len(alternatives) > 0 {
			p.When = &v1alpha1.ParameterCondition{Parameter: "router", Values: alternatives}
		}
		s.Spec.Parameters = append(s.Spec.Parameters, p)
	}
}

const (
	eppWeight    = "router.endpointPickerConfig.schedulingProfiles[default].plugins[prefix-cache-scorer].weight"
	nativeWeight = "router.policies.routing.scorers[prefix-affinity].weight"
)

// Each alternative has the key and the figures of a scenario with its router, and
// parameters reach into the alternatives that their conditions name.
func TestAlternativesAreRoutersOfScenarios(t *testing.T) {
	sweep := routersSweep(reaches("prefix", eppWeight, "epp"), reaches("affinity", nativeWeight, "weighted"), func(s *v1alpha1.PolicySweep) {
		s.Spec.Baseline.Parameters = append(s.Spec.Baseline.Parameters, v1alpha1.Assignment{Name: "prefix", Value: "3"})
	})
	study := experimenttest.MustRunLocally(t, experimenttest.MustCompileSweep(t, sweep), execute.Options{})
	var points []string
	for _, p := range study.Points() {
		points = append(points, p.String())
	}
	want := []string{"router=epp prefix=1", "router=epp prefix=3", "router=queues", "router=weighted affinity=1", "router=weighted affinity=3", "router=turns"}
	if diff := cmp.Diff(want, points); diff != "" {
		t.Fatalf("points (−want +got):\n%s", diff)
	}
	weighted := nativeRouter("weighted", "prefix-affinity", "queue-depth")
	weighted.Policies.Routing.Scorers[0].Weight = "3"
	for point, router := range map[int]v1alpha1.Router{0: eppRouter("queue-scorer", "prefix-cache-scorer"), 2: eppRouter("queue-scorer"), 4: weighted, 5: nativeRouter("round-robin")} {
		run := builder.MakeRun("alone", "ns").Seeds(1).Obj()
		run.Spec.Scenario.Router = router
		manifest.Default(run)
		alone := experimenttest.MustRunLocally(t, experimenttest.MustCompileRun(t, run), execute.Options{}).Rows()[0]
		if row := study.Rows()[point]; row.Key != alone.Key || !row.Metrics.Equal(alone.Metrics) || row.Error != "" {
			t.Errorf("%s: the key %s and the figures are not those of its router alone, %s (%s)", points[point], row.Key, alone.Key, row.Error)
		}
	}
}

// gatesSweep is a sweep of two routers, three admissions and two engines.
func gatesSweep(edits ...func(*v1alpha1.PolicySweep)) *v1alpha1.PolicySweep {
	sweep := builder.MakeSweep("gates", "ns").
		Alternative("epp", eppRouter("queue-scorer")).
		Alternative("turns", nativeRouter("round-robin")).
		Seeds(1).Obj()
	engine := sweep.Spec.Scenario.Pools[0].Engine
	engine.Scheduler, engine.SchedulerParameters = v1alpha1.WeightedFairScheduler, map[string]v1alpha1.PolicyParameter{"weight:a": "2"}
	for i := range sweep.Spec.Scenario.Workload.Clients {
		sweep.Spec.Scenario.Workload.Clients[i].Tenant = "a"
	}
	sweep.Spec.Parameters = append(sweep.Spec.Parameters,
		v1alpha1.Parameter{Name: "admission", Path: "router.admission", Alternatives: []v1alpha1.Alternative{
			{Name: "none", Admission: &v1alpha1.GatewayPolicy{Policy: "always"}},
			{Name: "requests", Admission: &v1alpha1.GatewayPolicy{Policy: "tenant-budget"}},
			{Name: "tokens", Admission: &v1alpha1.GatewayPolicy{Policy: "tenant-budget", Parameters: map[string]v1alpha1.PolicyParameter{"unit": "tokens", "capacity": "1000"}}},
		}},
		v1alpha1.Parameter{Name: "engine", Path: "pools[" + sweep.Spec.Scenario.Pools[0].Name + "].engine", Alternatives: []v1alpha1.Alternative{
			{Name: "fcfs", Engine: &v1alpha1.Engine{}}, {Name: "fair", Engine: &engine},
		}},
		v1alpha1.Parameter{
			Name: "capacity", Path: "router.admission.parameters.capacity", Values: []string{"4", "8"},
			When: &v1alpha1.ParameterCondition{Parameter: "admission", Values: []string{"requests"}},
		},
	)
	for _, edit := range edits {
		edit(sweep)
	}
	manifest.Default(sweep)
	return sweep
}

// Routers, admissions and engines stand in one table: each point has the key of a scenario
// with these parts, and a parameter reaches into an admission.
func TestAlternativesOfAdmissionsAndEngines(t *testing.T) {
	sweep := gatesSweep()
	study := experimenttest.MustRunLocally(t, experimenttest.MustCompileSweep(t, sweep), execute.Options{})
	if got, want := len(study.Points()), 2*(1+2+1)*2; got != want {
		t.Fatalf("%d points, want %d: %v", got, want, study.Points())
	}
	last := len(study.Points()) - 1
	if got, want := study.Points()[last].String(), "router=turns admission=tokens engine=fair"; got != want {
		t.Errorf("the last point is %s, want %s", got, want)
	}
	for point, capacity := range map[int]v1alpha1.PolicyParameter{2: "4", last: ""} {
		run := builder.MakeRun("alone", "ns").Seeds(1).Obj()
		run.Spec.Scenario = *sweep.Spec.Scenario.DeepCopy()
		values := study.Points()[point].Existing()
		choose := func(i int) *v1alpha1.Alternative {
			for j := range sweep.Spec.Parameters[i].Alternatives {
				if a := &sweep.Spec.Parameters[i].Alternatives[j]; a.Name == values[i].Value {
					return a.DeepCopy()
				}
			}
			t.Fatalf("no alternative %s", values[i].Value)
			return nil
		}
		run.Spec.Scenario.Router = *choose(0).Router
		run.Spec.Scenario.Router.Admission = choose(1).Admission
		run.Spec.Scenario.Pools[0].Engine = *choose(2).Engine
		if capacity != "" {
			run.Spec.Scenario.Router.Admission.Parameters = map[string]v1alpha1.PolicyParameter{"capacity": capacity}
		}
		manifest.Default(run)
		alone := experimenttest.MustRunLocally(t, experimenttest.MustCompileRun(t, run), execute.Options{}).Rows()[0]
		if row := study.Rows()[point]; row.Key != alone.Key || !row.Metrics.Equal(alone.Metrics) || row.Error != "" {
			t.Errorf("%s: the key %s and the figures are not those of its parts alone, %s (%s)", study.Points()[point], row.Key, alone.Key, row.Error)
		}
	}
}

func TestAlternativesOfAdmissionsAndEnginesThatAreRefused(t *testing.T) {
	in := func(parameter, alternative int, edit func(*v1alpha1.Alternative)) func(*v1alpha1.PolicySweep) {
		return func(s *v1alpha1.PolicySweep) { edit(&s.Spec.Parameters[parameter].Alternatives[alternative]) }
	}
	for name, tc := range map[string]struct {
		edit       func(*v1alpha1.PolicySweep)
		want, text string
	}{
		"an admission that there is not": {
			in(1, 2, func(a *v1alpha1.Alternative) { a.Admission.Policy = "doorman" }),
			"spec.parameters[1].alternatives[2].admission.policy", "tenant-budget",
		},
		"a parameter that the admission lacks": {
			in(1, 1, func(a *v1alpha1.Alternative) {
				a.Admission.Parameters = map[string]v1alpha1.PolicyParameter{"rate": "1"}
			}), "spec.parameters[1].alternatives[1].admission.parameters[rate]", "unknown parameter",
		},
		"a parameter that the scheduler lacks": {
			in(2, 1, func(a *v1alpha1.Alternative) { a.Engine.Scheduler = v1alpha1.FCFSScheduler }),
			"spec.parameters[2].alternatives[1].engine.schedulerParameters[weight:a]", "FCFS",
		},
		"a router at the path of an admission": {
			in(1, 0, func(a *v1alpha1.Alternative) { a.Router, a.Admission = ptr.To(nativeRouter("random")), nil }),
			"spec.parameters[1].alternatives[0].admission", "the path is router.admission, so each alternative is a whole admission",
		},
		"a pool that there is not": {
			func(s *v1alpha1.PolicySweep) { s.Spec.Parameters[2].Path = "pools[gone].engine" },
			"spec.parameters[2].path", "there is no entry [gone]",
		},
		"a path into an engine": {
			func(s *v1alpha1.PolicySweep) { s.Spec.Parameters[2].Path = "pools.engine" },
			"spec.parameters[2].path", "must be pools[NAME].engine",
		},
		"the admission of one of several routers": {
			func(s *v1alpha1.PolicySweep) { s.Spec.Parameters[1].Path = "routers[a].admission" },
			"spec.parameters[1].path", "must be router.admission, since alternatives replace it",
		},
		"an admission of a router that another parameter replaces": {
			in(0, 1, func(a *v1alpha1.Alternative) { a.Router.Admission = &v1alpha1.GatewayPolicy{Policy: "always"} }),
			"spec.parameters[0].alternatives[1].router.admission", "parameter admission replaces it",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs, err := compile.Sweep(t.Context(), gatesSweep(tc.edit), experimenttest.Inputs{})
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range errs {
				if e.Field == tc.want && strings.Contains(e.Error(), tc.text) {
					return
				}
			}
			t.Errorf("errors are %v, want one at %q with %q", errs, tc.want, tc.text)
		})
	}
}

// A router may state an admission of its own where the parameter of admissions does not
// exist.
func TestAnAdmissionOfARouterBesideThoseOfAParameter(t *testing.T) {
	sweep := gatesSweep(func(s *v1alpha1.PolicySweep) {
		s.Spec.Parameters[0].Alternatives[1].Router.Admission = &v1alpha1.GatewayPolicy{Policy: "reject-all"}
		s.Spec.Parameters[1].When = &v1alpha1.ParameterCondition{Parameter: "router", Values: []string{"epp"}}
	})
	compiled := experimenttest.MustCompileSweep(t, sweep)
	study := experimenttest.MustRunLocally(t, compiled, execute.Options{})
	if got, want := len(study.Points()), (4+1)*2; got != want {
		t.Errorf("%d points, want %d: %v", got, want, study.Points())
	}
}

func TestAlternativesThatAreRefused(t *testing.T) {
	router := func(i int, edit func(*v1alpha1.Router)) func(*v1alpha1.PolicySweep) {
		return func(s *v1alpha1.PolicySweep) { edit(s.Spec.Parameters[0].Alternatives[i].Router) }
	}
	const list = "spec.parameters[0].alternatives"
	tests := map[string]struct {
		edit       func(*v1alpha1.PolicySweep)
		want, text string
	}{
		"an EPP configuration that the EPP refuses": {
			router(1, func(r *v1alpha1.Router) { *r = eppRouter("no-such-scorer") }),
			list + "[1].router.endpointPickerConfig.inline.plugins[0].type", "no-such-scorer",
		},
		"a version of the EPP that there is not": {
			router(0, func(r *v1alpha1.Router) { r.EndpointPickerConfig.Version = "router-v99" }), list + "[0].router.endpointPickerConfig.version", "router-v99",
		},
		"a ConfigMap that is not there": {
			router(1, func(r *v1alpha1.Router) {
				r.EndpointPickerConfig = v1alpha1.EndpointPickerConfig{Version: "router-v0.10", ConfigMapRef: &v1alpha1.EndpointPickerConfigMap{Name: "gone", Key: "epp.yaml"}}
			}), list + "[1].router.endpointPickerConfig.configMapRef", "Not found",
		},
		"a native policy that there is not": {
			router(3, func(r *v1alpha1.Router) { r.Policies.Routing.Policy = "fastest" }), list + "[3].router.policies.routing.policy", "round-robin",
		},
		"a scorer that there is not": {
			router(2, func(r *v1alpha1.Router) { r.Policies.Routing.Scorers[0].Name = "luck" }), list + "[2].router.policies.routing.scorers[0].name", "prefix-affinity",
		},
		"no router": {
			func(s *v1alpha1.PolicySweep) { s.Spec.Parameters[0].Alternatives[1].Router = nil }, list + "[1].router", "each alternative is a whole router",
		},
		"another path": {
			func(s *v1alpha1.PolicySweep) { s.Spec.Parameters[0].Path = "router.policies" }, "spec.parameters[0].path", "must be router, since alternatives replace it",
		},
		"the path of one of several routers": {
			func(s *v1alpha1.PolicySweep) { s.Spec.Parameters[0].Path = "routers[a]" }, "spec.parameters[0].path", "must be router, since alternatives replace it",
		},
		"profiles beside alternatives": {
			func(s *v1alpha1.PolicySweep) {
				s.Spec.Parameters = append(s.Spec.Parameters, v1alpha1.Parameter{
					Name: "profile", Path: "router.endpointPickerConfig", Profiles: []v1alpha1.Profile{experimenttest.Profile("a", "queue-scorer")},
					When: &v1alpha1.ParameterCondition{Parameter: "router", Values: []string{"epp"}},
				})
			}, "spec.parameters[1].path", "parameter router replaces router, and one would overwrite the other: state each profile as an alternative",
		},
		"a parameter of one alternative without a condition": {
			reaches("prefix", eppWeight), "spec.parameters[1].path", `in alternative "queues": at "router.endpointPickerConfig.schedulingProfiles[default].plugins[prefix-cache-scorer]": there is no entry`,
		},
		"a parameter of a policy in an alternative with an EPP": {
			reaches("policy", "router.policies.routing.policy", "epp"), "spec.parameters[1].values[0]", `in alternative "epp": makes the scenario invalid`,
		},
		"a parameter of another alternative": {
			reaches("affinity", nativeWeight, "weighted", "turns"), "spec.parameters[1].path", `in alternative "turns": at "router.policies.routing.scorers[prefix-affinity]": there is no entry [prefix-affinity]; the list is empty`,
		},
		"a baseline that is no alternative": {
			func(s *v1alpha1.PolicySweep) { s.Spec.Baseline.Parameters[0].Value = "fastest" },
			"spec.baseline.parameters[0].value", `there is no alternative "fastest"; there are "epp", "queues", "weighted", "turns"`,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, errs, err := compile.Sweep(t.Context(), routersSweep(tc.edit), experimenttest.Inputs{})
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range errs {
				if e.Field == tc.want && strings.Contains(e.Error(), tc.text) {
					return
				}
			}
			t.Errorf("errors are %v, want one at %q with %q", errs, tc.want, tc.text)
		})
	}
}

// Files and ConfigMaps of alternatives are pinned as others are, and the linter looks at
// each with what its own router says.
func TestFilesOfAlternativesArePinnedAndLinted(t *testing.T) {
	text := experimenttest.Profile("", "queue-scorer").EndpointPickerConfig.Inline
	sweep := routersSweep(func(s *v1alpha1.PolicySweep) {
		of := s.Spec.Parameters[0].Alternatives[1].Router
		*of = v1alpha1.Router{EndpointPickerConfig: v1alpha1.EndpointPickerConfig{ConfigMapRef: &v1alpha1.EndpointPickerConfigMap{Name: "own", Key: "epp.yaml"}}, MetricsRefreshInterval: "10s"}
	})
	c, errs, err := compile.Sweep(t.Context(), sweep, experimenttest.Inputs{"own/epp.yaml": []byte(*text)})
	if err != nil || len(errs) > 0 {
		t.Fatal(errs, err)
	}
	if len(c.Plan.Inputs) != 1 || c.Plan.Inputs[0].Name != "ConfigMap/own/epp.yaml" {
		t.Errorf("inputs are %v", c.Plan.Inputs)
	}
	found := map[string]bool{}
	for _, f := range c.Plan.Findings {
		found[f.Rule+" "+f.Path] = true
	}
	const at = "spec.parameters[0].alternatives[1].router.endpointPickerConfig.configMapRef"
	for rule := range found {
		if strings.HasSuffix(rule, at) {
			return
		}
	}
	t.Errorf("the linter says nothing of the interval of %s: %v", at, found)
}

// Two routers have alternatives each, and a parameter reaches into those of one.
func TestAlternativesOfSeveralRouters(t *testing.T) {
	sweep := experimenttest.Sweep(t)
	experimenttest.ServeTwoModels(&sweep.Spec.Scenario)
	small := sweep.Spec.Scenario.Pools[0].Model
	of := func(name, model string) v1alpha1.Parameter {
		return v1alpha1.Parameter{Name: name, Path: "routers[" + model + "]", Alternatives: []v1alpha1.Alternative{
			{Name: "epp", Router: ptr.To(eppRouter("queue-scorer", "prefix-cache-scorer"))}, {Name: "turns", Router: ptr.To(nativeRouter("round-robin"))},
		}}
	}
	weight := v1alpha1.Parameter{
		Name: "weight", Path: "routers[" + experimenttest.Large + "].endpointPickerConfig.schedulingProfiles[default].plugins[prefix-cache-scorer].weight",
		Values: []string{"1", "9"}, When: &v1alpha1.ParameterCondition{Parameter: "large", Values: []string{"epp"}},
	}
	sweep.Spec.Parameters = []v1alpha1.Parameter{of("small", small), of("large", experimenttest.Large), weight}
	sweep.Spec.Baseline, sweep.Spec.Replications.Seeds = nil, []int64{1}
	manifest.Default(sweep)
	study := experimenttest.MustRunLocally(t, experimenttest.MustCompileSweep(t, sweep), execute.Options{})
	keys := map[string]bool{}
	for _, row := range study.Rows() {
		if keys[row.Key] = true; row.Error != "" {
			t.Error(row.Error)
		}
	}
	if len(study.Points()) != 6 || len(keys) != 6 {
		t.Errorf("%d points with %d keys, want 6: %v", len(study.Points()), len(keys), study.Points())
	}

	sweep.Spec.Parameters[1].Path = "router"
	_, errs, err := compile.Sweep(t.Context(), sweep, experimenttest.TraceInputs(t))
	if err != nil || len(errs) == 0 || !strings.Contains(errs[0].Error(), "must be routers[MODEL], with the model of a router in place of MODEL, since alternatives replace it") {
		t.Errorf("the path of the only router: %v, %v", errs, err)
	}
}
