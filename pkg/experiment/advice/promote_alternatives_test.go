// SPDX-License-Identifier: Apache-2.0

package advice_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/pkg/experiment/advice"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/manifest"
)

// routersSweep is a sweep of two EPP configurations, with a weight in one of them, and a
// native policy.
func routersSweep() *v1alpha1.PolicySweep {
	own := promotable
	epp := v1alpha1.Router{
		EndpointPickerConfig: v1alpha1.EndpointPickerConfig{Version: "router-v0.10", Inline: &own}, MetricsRefreshInterval: "200ms", Replicas: 2,
	}
	random := builder.RandomPickerConfig
	sweep := builder.MakeSweep("routers", "ns").
		Alternative("epp", epp).
		Alternative("random", v1alpha1.Router{EndpointPickerConfig: v1alpha1.EndpointPickerConfig{Version: "router-v0.10", Inline: &random}}).
		Alternative("least", v1alpha1.Router{Policies: &v1alpha1.Policies{Routing: v1alpha1.RoutingPolicy{Policy: "least-loaded"}}}).
		Seeds(1).Obj()
	sweep.Spec.Parameters = append(sweep.Spec.Parameters, v1alpha1.Parameter{
		Name: "queue", Path: weightOf("queue-scorer"), Values: []string{"4"}, When: &v1alpha1.ParameterCondition{Parameter: "router", Values: []string{"epp"}},
	})
	sweep.Spec.Objectives = []v1alpha1.Objective{{Metric: "ttft.mean", Direction: v1alpha1.Minimize}}
	manifest.Default(sweep)
	return sweep
}

// The file of an alternative is written with the values within it. Fields around it that
// differ from the scenario's router are to be set elsewhere.
func TestPromotePointTakesTheFileOfTheAlternative(t *testing.T) {
	st := mustStudy(t, routersSweep())
	p, err := advice.PromotePoint(st, pointAt(t, st, "router=epp queue=4"), v1alpha1.HelmValuesFormat)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"pluginsConfigFile: epp.yaml", "# short queues", "weight: 4\n"} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("text lacks %q:\n%s", want, p.Text)
		}
	}
	elsewhere := []advice.Setting{{Path: "router.metricsRefreshInterval", Value: "200ms"}, {Path: "router.replicas", Value: "2"}}
	if diff := cmp.Diff(elsewhere, p.Elsewhere); diff != "" {
		t.Errorf("elsewhere (−want +got):\n%s", diff)
	}
	if p, err = advice.PromotePoint(st, pointAt(t, st, "router=random"), v1alpha1.SourceFormat); err != nil || p.Text != builder.RandomPickerConfig || len(p.Elsewhere) > 0 {
		t.Errorf("the other file is %+v, %v", p, err)
	}
}

// The admission and the engine of a point are to be set elsewhere, each once, and the file
// is that of the router.
func TestPromotePointListsTheAdmissionAndTheEngine(t *testing.T) {
	sweep := routersSweep()
	pool := &sweep.Spec.Scenario.Pools[0]
	engine := pool.Engine
	engine.Scheduler = v1alpha1.WeightedFairScheduler
	sweep.Spec.Parameters = append(sweep.Spec.Parameters,
		v1alpha1.Parameter{Name: "engine", Path: "pools[" + pool.Name + "].engine", Alternatives: []v1alpha1.Alternative{{Name: "fair", Engine: &engine}}},
		v1alpha1.Parameter{Name: "admission", Path: "router.admission", Alternatives: []v1alpha1.Alternative{
			{Name: "budget", Admission: &v1alpha1.GatewayPolicy{Policy: "tenant-budget"}},
		}},
	)
	sweep.Spec.Scenario.Router.Admission = &v1alpha1.GatewayPolicy{Policy: "reject-all"}
	manifest.Default(sweep)
	st := mustStudy(t, sweep)
	p, err := advice.PromotePoint(st, pointAt(t, st, "router=random engine=fair admission=budget"), v1alpha1.SourceFormat)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := []advice.Setting{
		{Path: "pools[" + pool.Name + "].engine.scheduler", Value: "WeightedFair"},
		{Path: "router.admission.policy", Value: "tenant-budget"},
	}
	if diff := cmp.Diff(elsewhere, p.Elsewhere); diff != "" || p.Text != builder.RandomPickerConfig {
		t.Errorf("elsewhere (−want +got):\n%s\nthe file:\n%s", diff, p.Text)
	}
	run, err := advice.FollowUpRun(st, &sweep.Spec, pointAt(t, st, "router=random engine=fair admission=budget"))
	if err != nil {
		t.Fatal(err)
	}
	if got := run.Scenario; got.Router.Admission.Policy != "tenant-budget" || got.Pools[0].Engine.Scheduler != engine.Scheduler {
		t.Errorf("the run that follows has the admission %v and the scheduler %s", got.Router.Admission, got.Pools[0].Engine.Scheduler)
	}
}

// A native policy is no configuration of an EPP: the error says so, and which point has one.
func TestPromoteSaysThatANativePolicyIsNoConfiguration(t *testing.T) {
	c := experimenttest.MustCompileSweep(t, routersSweep())
	st := experimenttest.MustRunLocally(t, c, execute.Options{}).Study
	_, err := advice.PromotePoint(st, pointAt(t, st, "router=least"), v1alpha1.SourceFormat)
	if !errors.Is(err, advice.ErrNothingToPromote) {
		t.Fatalf("error %v", err)
	}
	board, boardErr := st.Leaderboard()
	if boardErr != nil {
		t.Fatal(boardErr)
	}
	best := ""
	for _, candidate := range board.Candidates {
		if name := st.Points()[candidate.Point].String(); best == "" && name != "router=least" {
			best = name
		}
	}
	want := "router=least has native policies, and no EPP configuration says what they do; of the points with an EPP configuration, " + best + " ranks first"
	if !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

// A run that follows a point has the alternative's router, and no decisions of an EPP where
// it has none.
func TestFollowUpRunsHaveTheRoutersOfAlternatives(t *testing.T) {
	sweep := routersSweep()
	st := mustStudy(t, sweep)
	for values, check := range map[string]func(*v1alpha1.SimulationRunSpec) bool{
		"router=epp queue=4": func(r *v1alpha1.SimulationRunSpec) bool {
			picker := r.Scenario.Router.EndpointPickerConfig
			return r.Scenario.Router.Replicas == 2 && picker.Inline != nil && strings.Contains(*picker.Inline, "weight: 4\n") && r.Trace.Level == v1alpha1.DecisionsTrace
		},
		"router=least": func(r *v1alpha1.SimulationRunSpec) bool {
			router := r.Scenario.Router
			return router.Policies != nil && router.Policies.Routing.Policy == "least-loaded" && router.EndpointPickerConfig == (v1alpha1.EndpointPickerConfig{}) && r.Trace.Level == v1alpha1.MinimalTrace
		},
	} {
		spec, err := advice.FollowUpRun(st, &sweep.Spec, pointAt(t, st, values))
		if err != nil || !check(&spec) {
			t.Errorf("%s: %+v, %v", values, spec.Scenario.Router, err)
			continue
		}
		run := builder.MakeRun("follow", "ns").Obj()
		run.Spec.Scenario = spec.Scenario
		manifest.Default(run)
		if errs := manifest.Validate(run); len(errs) > 0 {
			t.Errorf("%s: %v", values, errs)
		}
		experimenttest.MustCompileRun(t, run)
	}
}
