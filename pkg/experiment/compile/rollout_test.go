// SPDX-License-Identifier: Apache-2.0

package compile_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/advice"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// rollingOut is a sweep that moves the traffic of its scenario to a second pool of as many replicas.
func rollingOut(t *testing.T, steps ...int32) *v1alpha1.PolicySweep {
	t.Helper()
	sweep := experimenttest.SearchSweep(t, v1alpha1.GridSearch, func(*v1alpha1.PolicySweep) {})
	spec := &sweep.Spec
	spec.Parameters, spec.Baseline, spec.Rules, spec.Objectives = nil, nil, nil, nil
	stable := spec.Scenario.Pools[0]
	stable.Name = "stable"
	canary := stable
	canary.Name = "canary"
	router := func(pool v1alpha1.Pool) v1alpha1.ModelRouter {
		r := v1alpha1.Router{MetricsRefreshInterval: "50ms", EndpointPickerConfig: v1alpha1.EndpointPickerConfig{Inline: ptr.To(byQueue)}}
		return v1alpha1.ModelRouter{Name: pool.Name, Model: pool.Model, Pools: []string{pool.Name}, Router: r}
	}
	spec.Scenario.Pools = []v1alpha1.Pool{stable, canary}
	spec.Scenario.Router, spec.Scenario.Routers = v1alpha1.Router{}, []v1alpha1.ModelRouter{router(stable), router(canary)}
	spec.Scenario.Route = &v1alpha1.Route{Backends: []v1alpha1.RouteBackend{{Router: "stable", Weight: ptr.To[int32](90)}, {Router: "canary", Weight: ptr.To[int32](10)}}}
	spec.Rollout = &v1alpha1.Rollout{Backend: "canary", Steps: steps}
	spec.Gates = []v1alpha1.Gate{
		{Name: "everyone", Metric: "e2e.mean", Operator: v1alpha1.AtMost, VersusBaseline: "900%", Confidence: "0.9"},
		{Name: "canary", Metric: "e2e.mean{pool=canary}", Operator: v1alpha1.AtMost, VersusBaseline: "900%", Confidence: "0.9"},
		{Name: "served", Metric: "completionRate", Operator: v1alpha1.AtLeast, Value: "1%", Confidence: "0.9"},
	}
	return sweep
}

func TestARolloutHasAPointForEachStepAndIsComparedWithNoShare(t *testing.T) {
	conducted := experimenttest.MustRunLocally(t, experimenttest.MustCompileSweep(t, rollingOut(t, 25, 100)), execute.Options{})
	var points []string
	for _, point := range conducted.Points() {
		points = append(points, point.String())
	}
	if diff := cmp.Diff([]string{"canary=25", "canary=100", "canary=0"}, points); diff != "" {
		t.Errorf("points (−want +got):\n%s", diff)
	}
	objectives := []v1alpha1.Objective{{Metric: "e2e.mean", Direction: v1alpha1.Minimize}, {Metric: "completionRate", Direction: v1alpha1.Maximize}}
	if diff := cmp.Diff(objectives, conducted.Plan.Objectives); diff != "" {
		t.Errorf("objectives (−want +got):\n%s", diff)
	}
	v, err := conducted.Verdict()
	if err != nil {
		t.Fatal(err)
	}
	if v.Outcome != verdict.Pass || v.Message != "2 steps to 100 % pass: at each, all 3 gates pass" {
		t.Errorf("%s: %s", v.Outcome, v.Message)
	}
	// At 100 % the canary serves all requests, so both gates have the same figures.
	last := v.Steps[1].Gates
	if *last[0].Estimate != *last[1].Estimate {
		t.Errorf("all requests differ by %g and the canary's by %g", *last[0].Estimate, *last[1].Estimate)
	}
	report, ok, err := advice.NewReport(conducted.Study, "a rollout", advice.ReportedTop, advice.RollOut{})
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	var text strings.Builder
	if err := report.Write(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"**Pass**: 2 steps to 100 % pass: at each, all 3 gates pass.", "| 25 % | pass | all 3 gates pass |", "| canary | 0 | **100** |", "| metric | baseline | step to 100 % | difference |",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the report has no %q:\n%s", want, text.String())
		}
	}
}

func TestErrorsOfARolloutNameTheUsersField(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*v1alpha1.PolicySweepSpec)
		want string
	}{
		"a backend that the route does not have": {
			func(s *v1alpha1.PolicySweepSpec) { s.Rollout.Backend = "cannary" }, "spec.rollout.backend",
		},
		"a route whose other backends have no weight": {
			func(s *v1alpha1.PolicySweepSpec) { s.Scenario.Route.Backends[0].Weight = ptr.To[int32](0) }, "spec.rollout.backend",
		},
		"a share of all requests": {
			func(s *v1alpha1.PolicySweepSpec) { s.Gates[2].Metric = "requestShare" }, "spec.gates[2].metric",
		},
		"an amount of a part of the requests, relative to that of all": {
			func(s *v1alpha1.PolicySweepSpec) { s.Gates[1].Metric = "throughput.requests{pool=canary}" }, "spec.gates[1].versusBaseline",
		},
		"a share relative to the share 0": {
			func(s *v1alpha1.PolicySweepSpec) { s.Gates[1].Metric = "requestShare{pool=canary}" }, "spec.gates[1].versusBaseline",
		},
		"a metric that does not exist": {
			func(s *v1alpha1.PolicySweepSpec) { s.Gates[1].Metric = "speed{pool=canary}" }, "spec.gates[1].metric",
		},
	} {
		t.Run(name, func(t *testing.T) {
			sweep := rollingOut(t, 10, 100)
			tc.edit(&sweep.Spec)
			_, errs, err := compile.Sweep(t.Context(), sweep, experimenttest.TraceInputs(t))
			if err != nil || len(errs) == 0 || errs[0].Field != tc.want {
				t.Errorf("%v %v, want an error at %s", err, errs, tc.want)
			}
			for _, e := range errs {
				if strings.HasPrefix(e.Field, "spec.parameters") || strings.HasPrefix(e.Field, "spec.baseline") || strings.HasPrefix(e.Field, "spec.objectives") {
					t.Errorf("an error is at %s", e.Field)
				}
			}
		})
	}
}

// The share of the canary has a value at the baseline, which is 0, and at 100 %, which is 1.
func TestARolloutBoundsTheShareOfTheCanary(t *testing.T) {
	sweep := rollingOut(t, 25, 100)
	sweep.Spec.Gates = []v1alpha1.Gate{{Name: "share", Metric: "requestShare{pool=canary}", Operator: v1alpha1.AtMost, Value: "0.9", Confidence: "0.9"}}
	conducted := experimenttest.MustRunLocally(t, experimenttest.MustCompileSweep(t, sweep), execute.Options{})
	v, err := conducted.Verdict()
	if err != nil {
		t.Fatal(err)
	}
	if v.Steps[0].Verdict != verdict.Pass || v.Steps[1].Verdict != verdict.Fail || *v.Steps[1].Gates[0].Estimate != 1 {
		t.Errorf("the steps are %+v, want one that passes, and one with the share 1 that fails", v.Steps)
	}
}

const rolledOutRoute = `
kind: HTTPRoute
metadata: {name: llm}
spec:
  rules:
  - matches: [{headers: [{name: x-tier, value: free}]}]
    backendRefs:
    - {group: inference.networking.k8s.io, kind: InferencePool, name: stable, weight: 90}
    - {group: inference.networking.k8s.io, kind: InferencePool, name: canary, weight: 10}
`

// The only rule of a route matches a header: the steps are shares of its requests, the figures of which
// are those of a route without the header.
func TestARolloutMovesTheRulesOfARoute(t *testing.T) {
	shares := func(sweep *v1alpha1.PolicySweep) []float64 {
		conducted := experimenttest.MustRunLocally(t, experimenttest.MustCompileSweep(t, sweep), execute.Options{})
		v, err := conducted.Verdict()
		if err != nil {
			t.Fatal(err)
		}
		var shares []float64
		for _, step := range v.Steps {
			shares = append(shares, *step.Gates[0].Estimate)
		}
		return shares
	}
	bounded := func() *v1alpha1.PolicySweep {
		sweep := rollingOut(t, 25, 100)
		sweep.Spec.Scenario.Workload = experimenttest.Run(t).Spec.Scenario.Workload
		sweep.Spec.Gates = []v1alpha1.Gate{{Name: "share", Metric: "requestShare{pool=canary}", Operator: v1alpha1.AtMost, Value: "0.9", Confidence: "0.9"}}
		return sweep
	}
	ruled := bounded()
	for i := range ruled.Spec.Scenario.Workload.Clients {
		ruled.Spec.Scenario.Workload.Clients[i].Headers = map[string]v1alpha1.HeaderValue{"x-tier": "free"}
	}
	ruled.Spec.Scenario.Route = &v1alpha1.Route{HTTPRoute: &v1alpha1.ManifestSource{Inline: ptr.To(rolledOutRoute)}}
	want, got := shares(bounded()), shares(ruled)
	if diff := cmp.Diff(want, got); diff != "" || got[1] != 1 {
		t.Errorf("shares of the canary at 25 and 100 %% (−all +rule):\n%s", diff)
	}
}
