// SPDX-License-Identifier: Apache-2.0

package compile_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
)

// addCanary has a second router and a pool of its own serve the model of a scenario, with a weight
// of 100 in all.
func addCanary(s *v1alpha1.Scenario, weight int32) {
	canary := s.Pools[0]
	canary.Name, canary.Replicas = "canary", 1
	s.Pools = append(s.Pools, canary)
	router := func(name, pool string) v1alpha1.ModelRouter {
		return v1alpha1.ModelRouter{Model: canary.Model, Name: name, Pools: []string{pool}, Router: *s.Router.DeepCopy()}
	}
	s.Routers = []v1alpha1.ModelRouter{router("stable", s.Pools[0].Name), router("canary", "canary")}
	s.Router = v1alpha1.Router{}
	s.Route = &v1alpha1.Route{Backends: []v1alpha1.RouteBackend{{Router: "stable", Weight: new(100 - weight)}, {Router: "canary", Weight: new(weight)}}}
}

// canaryRun is a run with a canary, edited, with the schema's defaults.
func canaryRun(t *testing.T, weight int32, edit func(*v1alpha1.Scenario)) *v1alpha1.SimulationRun {
	t.Helper()
	run := experimenttest.Run(t)
	addCanary(&run.Spec.Scenario, weight)
	edit(&run.Spec.Scenario)
	manifest.Default(run)
	return run
}

func asItIs(*v1alpha1.Scenario) {}

// documentOf is what a run's first simulation measures.
func documentOf(t *testing.T, run *v1alpha1.SimulationRun) *result.Document {
	t.Helper()
	c := experimenttest.MustCompileRun(t, run)
	return experimenttest.MustSimulate(t, c, experimenttest.AllSimulations(t, c.Plan))[0].Document
}

// poolOf are the figures of a pool.
func poolOf(t *testing.T, d *result.Document, pool string) result.Group {
	t.Helper()
	g := d.Group(result.Selector{Pool: pool})
	if g == nil {
		t.Fatalf("the document has no pool %s", pool)
	}
	return *g
}

// A weight of 0 and one of 100 leave a pool alone: its figures are those of a scenario without the
// other pool and without a route.
func TestAllRequestsGoToOneBackend(t *testing.T) {
	alone := experimenttest.Run(t)
	pool := alone.Spec.Scenario.Pools[0].Name
	want := poolOf(t, documentOf(t, alone), pool)
	got := poolOf(t, documentOf(t, canaryRun(t, 0, asItIs)), pool)
	got.RequestShare = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the stable pool with a canary that gets nothing (−want +got):\n%s", diff)
	}
	swapped := documentOf(t, canaryRun(t, 100, func(s *v1alpha1.Scenario) { s.Pools[1].Replicas = s.Pools[0].Replicas }))
	got = poolOf(t, swapped, "canary")
	got.RequestShare, got.Pool = nil, pool
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a canary that gets everything (−want +got):\n%s", diff)
	}
}

func TestShareOfTheCanary(t *testing.T) {
	d := documentOf(t, canaryRun(t, 25, asItIs))
	canary, stable := poolOf(t, d, "canary"), poolOf(t, d, d.Provenance.Pools[0].Name)
	if sum := canary.Requests.Arrived + stable.Requests.Arrived; sum != d.Overall.Requests.Arrived {
		t.Errorf("the pools got %d of %d requests", sum, d.Overall.Requests.Arrived)
	}
	if got, want := *canary.RequestShare, float64(canary.Requests.Arrived)/float64(d.Overall.Requests.Arrived); got != want {
		t.Errorf("requestShare is %v, want %v", got, want)
	}
}

const httpRoute = `
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: llm}
spec:
  rules:
  - matches: [{path: {type: PathPrefix, value: /}}]
    backendRefs:
    - {group: inference.networking.k8s.io, kind: InferencePool, name: llama-pool, weight: 75}
    - {group: inference.networking.k8s.io, kind: InferencePool, name: canary, weight: 25}
`

func withHTTPRoute(s *v1alpha1.Scenario) {
	s.Routers[0].InferencePool = "llama-pool"
	s.Route = &v1alpha1.Route{HTTPRoute: &v1alpha1.ManifestSource{Inline: new(httpRoute)}}
}

func TestAnHTTPRouteIsTheSameInWords(t *testing.T) {
	words := experimenttest.MustCompileRun(t, canaryRun(t, 25, func(s *v1alpha1.Scenario) { s.Routers[0].InferencePool = "llama-pool" }))
	verbatim := experimenttest.MustCompileRun(t, canaryRun(t, 25, withHTTPRoute))
	if diff := cmp.Diff(words.Plan.Scenario, verbatim.Plan.Scenario); diff != "" {
		t.Errorf("the scenario of the manifest (−words +manifest):\n%s", diff)
	}
}

func TestASweepVariesTheWeightOfAManifest(t *testing.T) {
	sweep := experimenttest.Sweep(t)
	addCanary(&sweep.Spec.Scenario, 25)
	withHTTPRoute(&sweep.Spec.Scenario)
	sweep.Spec.Parameters = []v1alpha1.Parameter{{Name: "weight", Path: "route.backends[canary].weight", Values: []string{"0", "25", "75"}}}
	sweep.Spec.Objectives = []v1alpha1.Objective{{Metric: "requestShare{pool=canary}", Direction: v1alpha1.Maximize}}
	sweep.Spec.Baseline, sweep.Spec.Gates = nil, nil
	manifest.Default(sweep)
	c := experimenttest.MustCompileSweep(t, sweep)
	shares := map[int]float64{}
	for _, s := range experimenttest.MustSimulate(t, c, experimenttest.AllSimulations(t, c.Plan)) {
		if s.Row.Error != "" {
			t.Fatal(s.Row.Error)
		}
		share, _ := s.Row.Metrics.Get("requestShare{pool=canary}")
		shares[s.Row.Point] = share
	}
	if shares[0] != 0 || shares[1] <= shares[0] || shares[2] <= shares[1] {
		t.Errorf("the canary's shares at weights 0, 25 and 75 are %v", shares)
	}
}

// rewritten has a scenario give the requests for reviews the adapters v1 and v2.
func rewritten(s *v1alpha1.Scenario) {
	s.Horizon.Requests = new(int64(2000))
	s.Pools[0].Adapters = &v1alpha1.Adapters{Max: 2}
	s.Workload.Clients[0].Model = "reviews"
	s.Route = &v1alpha1.Route{ModelRewrites: &v1alpha1.ManifestSource{Inline: new(`
kind: InferenceModelRewrite
metadata: {name: reviews}
spec:
  poolRef: {name: llama}
  rules:
  - matches: [{model: {value: reviews}}]
    targets: [{modelRewrite: v1, weight: 90}, {modelRewrite: v2, weight: 10}]
`)}}
}

// Of n requests a share p has the standard error √(p(1−p)/n).
func TestRewritesGiveRequestsAdapters(t *testing.T) {
	const n, p = 2000, 0.1
	for name, edit := range map[string]func(*v1alpha1.Scenario){
		"a client": asItIs,
		"copies of a client": func(s *v1alpha1.Scenario) {
			s.Workload.Clients[0].Copies = &v1alpha1.Copies{Count: 5}
		},
	} {
		run := experimenttest.Run(t)
		rewritten(&run.Spec.Scenario)
		edit(&run.Spec.Scenario)
		manifest.Default(run)
		got := adaptersOf(t, run)
		if share := float64(got["v2"]) / n; got["v1"]+got["v2"] != n || math.Abs(share-p) > 4*math.Sqrt(p*(1-p)/n) {
			t.Errorf("%s: requests by adapter are %v, want a tenth for v2 and the others for v1", name, got)
		}
	}
}

// adaptersOf counts the requests of a run's first simulation by the adapter that the router is told of.
func adaptersOf(t *testing.T, run *v1alpha1.SimulationRun) map[string]int {
	t.Helper()
	plan := experimenttest.MustCompileRun(t, run).Plan
	c, err := execute.Config(plan, nil, experiment.Case{Trial: &experiment.Trial{Share: 1}, Seed: plan.Seeds[0]})
	if err != nil {
		t.Fatal(err)
	}
	count, names := map[string]int{}, c.Adapters()
	c.Policies.Routing.Router.(interface {
		Explain(func(*scheduler.Explanation))
	}).Explain(func(x *scheduler.Explanation) { count[names[x.Request.Adapter-1]]++ })
	if _, err := simulation.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return count
}

func TestRoutesThatAreRefused(t *testing.T) {
	weights := func(stable, canary int32) func(*v1alpha1.Scenario) {
		return func(s *v1alpha1.Scenario) {
			s.Route.Backends[0].Weight, s.Route.Backends[1].Weight = &stable, &canary
		}
	}
	for name, tc := range map[string]struct {
		edit       func(*v1alpha1.Scenario)
		path, text string
	}{
		"no route":       {func(s *v1alpha1.Scenario) { s.Route = nil }, "route", "such as route: {backends: [{router: stable, weight: 90}, {router: canary, weight: 10}]}"},
		"an empty route": {func(s *v1alpha1.Scenario) { s.Route = &v1alpha1.Route{} }, "route", "state one of backends, rules"},
		"a manifest beside words": {
			func(s *v1alpha1.Scenario) { s.Route.HTTPRoute = &v1alpha1.ManifestSource{Inline: new(httpRoute)} }, "route.httpRoute", "has backends and rules of its own",
		},
		"rewrites beside a manifest of them": {
			func(s *v1alpha1.Scenario) {
				s.Route.Rewrites = []v1alpha1.ModelRewrite{{Name: "all", Router: "canary", Targets: []v1alpha1.RewriteTarget{{Model: "v2"}}}}
				s.Route.ModelRewrites = &v1alpha1.ManifestSource{Inline: new("x")}
			}, "route.modelRewrites", "set rewrites or modelRewrites",
		},
		"a path without a manifest": {func(s *v1alpha1.Scenario) { s.Route.Path = "/v1" }, "route.path", "goes with httpRoute"},
		"weights of 0":              {weights(0, 0), "route.backends", "all weights are 0"},
		"an unknown router":         {func(s *v1alpha1.Scenario) { s.Route.Backends[1].Router = "canaries" }, "route.backends[1].router", `there are "stable", "canary"`},
		"two routers of one name":   {func(s *v1alpha1.Scenario) { s.Routers[1].Name = "stable" }, "routers[1].name", "stable"},
		"a pool of two routers":     {func(s *v1alpha1.Scenario) { s.Routers[1].Pools = s.Routers[0].Pools }, "routers[1].pools[0]", "a pool has one router"},
		"no pool of the name":       {func(s *v1alpha1.Scenario) { s.Routers[1].Pools = []string{"cannary"} }, "routers[1].pools[0]", "there is no pool of this name"},
		"routers without pools": {
			func(s *v1alpha1.Scenario) { s.Routers[0].Pools, s.Routers[1].Pools = nil, nil }, "routers[1].pools", "name the pools of each",
		},
		"requests without a rule": {
			func(s *v1alpha1.Scenario) {
				s.Route = &v1alpha1.Route{Rules: []v1alpha1.RouteRule{{Name: "testers", Model: "other", Backends: s.Route.Backends}}}
			}, "workload.clients[0].model", "no rule of the route matches",
		},
		"an InferencePool of no router": {
			func(s *v1alpha1.Scenario) { withHTTPRoute(s); s.Routers[0].InferencePool = "" },
			"route.httpRoute.inline.spec.rules[0].backendRefs[0].name", `those of the routers are "stable", "canary"`,
		},
		"two InferencePools of one router": {
			func(s *v1alpha1.Scenario) { withHTTPRoute(s); s.Router, s.Routers = s.Routers[0].Router, nil },
			"route.httpRoute.inline.spec.rules[0].backendRefs[1].name", `the scenario has one router, which stands for "llama-pool"`,
		},
		"an InferencePool of two routers": {
			func(s *v1alpha1.Scenario) { s.Routers[0].InferencePool = "canary" }, "routers[1].inferencePool", "Duplicate",
		},
		"pools of a router apart from each other": {
			func(s *v1alpha1.Scenario) {
				last := s.Pools[0]
				last.Name = "last"
				s.Pools, s.Routers[0].Pools = append(s.Pools, last), append(s.Routers[0].Pools, "last")
			}, "pools[2].model", "pools of one router must be next to each other",
		},
		"a rewrite to an adapter that pools do not serve": {
			func(s *v1alpha1.Scenario) {
				s.Route.Rewrites = []v1alpha1.ModelRewrite{{Name: "all", Router: "canary", Targets: []v1alpha1.RewriteTarget{{Model: "v2"}}}}
			}, "pools[1].adapters.max", "rewrite all gives requests of client",
		},
		"an alias that one router does not know": {
			func(s *v1alpha1.Scenario) {
				s.Workload.Clients[0].Model = "reviews"
				s.Route.Rewrites = []v1alpha1.ModelRewrite{{Name: "reviews", Router: "canary", Model: "reviews", Targets: []v1alpha1.RewriteTarget{{Model: s.Pools[0].Model}}}}
			}, "workload.clients[0].model", "engines of router stable serve",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs, err := compile.Run(t.Context(), canaryRun(t, 10, tc.edit), experimenttest.TraceInputs(t))
			if err != nil {
				t.Fatal(err)
			}
			if i := slices.IndexFunc(errs.ToAggregate().Errors(), func(e error) bool {
				return strings.HasPrefix(e.Error(), "spec.scenario."+tc.path+":") && strings.Contains(e.Error(), tc.text)
			}); i < 0 {
				t.Errorf("errors are %v, want one at %s with %q", errs, tc.path, tc.text)
			}
		})
	}
}
