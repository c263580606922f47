// SPDX-License-Identifier: Apache-2.0

package compile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/result"
)

const flowControlled = `
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
featureGates: [flowControl]
plugins:
- type: queue-scorer
- type: concurrency-detector
  parameters: {maxConcurrency: 2}
flowControl:
  maxRequests: 3
  saturationDetector: {pluginRef: concurrency-detector}
`

const bundled = `
apiVersion: sim.windtunnel.dev/v1alpha1
kind: PolicyBundle
metadata: {name: least-busy}
routing:
  starlark:
    source: |
      def score(request, endpoints):
          return [-e.waiting - e.running for e in endpoints]
`

// scaled has a scaler start replicas of a pool that begins with one.
func scaled(s *v1alpha1.Scenario, pool *v1alpha1.Pool, _ *v1alpha1.Router) {
	pool.Replicas, pool.Engine.MaxNumSeqs = 1, 2
	pool.Startup = &v1alpha1.Startup{ModelLoad: "1s"}
	s.Scalers = []v1alpha1.Scaler{{Name: "up", Pools: []string{pool.Name}, MaxReplicas: 4, Policy: "queue-length", Interval: "1s", Metrics: v1alpha1.ScalerMetrics{ScrapeInterval: "1s"}}}
}

// What a route sends to a router has the figures of a scenario in which the router is alone,
// whatever the router and the scalers of its pool do: a canary with all requests is a scenario
// without a route. And which requests are the canary's depends on nothing but the weights.
func TestRoutesTogetherWithOthers(t *testing.T) {
	usual := quarterOf(t, func(*v1alpha1.Scenario, *v1alpha1.Pool, *v1alpha1.Router) {})
	for name, tc := range map[string]struct {
		edit func(*v1alpha1.Scenario, *v1alpha1.Pool, *v1alpha1.Router)
		acts func(result.Group) bool
	}{
		"a scaler": {scaled, func(g result.Group) bool { return g.Replicas.Scaling.Peak > 1 }},
		"flow control": {
			func(_ *v1alpha1.Scenario, _ *v1alpha1.Pool, r *v1alpha1.Router) {
				r.EndpointPickerConfig.Inline = new(flowControlled)
			}, func(g result.Group) bool { return g.Requests.Rejected > 0 && g.GatewayQueueing.Max > 0 },
		},
		"weights that change": {
			func(_ *v1alpha1.Scenario, _ *v1alpha1.Pool, r *v1alpha1.Router) {
				r.Adaptive = &v1alpha1.GatewayPolicy{Policy: "exp3", Parameters: map[string]v1alpha1.PolicyParameter{"grid": "1,2,3", "epochRequests": "20"}}
			}, nil,
		},
		"a policy bundle": {
			func(_ *v1alpha1.Scenario, _ *v1alpha1.Pool, r *v1alpha1.Router) {
				r.EndpointPickerConfig, r.Policies = v1alpha1.EndpointPickerConfig{}, &v1alpha1.Policies{Bundle: &v1alpha1.ManifestSource{Inline: new(bundled)}}
			}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			alone := experimenttest.Run(t)
			s := &alone.Spec.Scenario
			s.Horizon.Requests = new(int64(400))
			tc.edit(s, &s.Pools[0], &s.Router)
			manifest.Default(alone)
			d := documentOf(t, alone)
			want := poolOf(t, d, s.Pools[0].Name)
			// Without a route, no pool has the requests that reach no replica.
			want.Requests, want.Goodput, want.Attainment = d.Overall.Requests, d.Overall.Goodput, d.Overall.Attainment
			if tc.acts != nil && !tc.acts(want) {
				t.Errorf("it has no effect: %+v", want.Requests)
			}
			canary := documentOf(t, canaryRun(t, 100, canaryWith(tc.edit)))
			got := poolOf(t, canary, "canary")
			if diff := cmp.Diff(d.Overall.Adaptive, got.Adaptive); diff != "" {
				t.Errorf("how the weights change (−alone +canary):\n%s", diff)
			}
			got.RequestShare, got.Adaptive, got.Pool = nil, nil, want.Pool
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(result.Scaling{})); diff != "" {
				t.Errorf("a canary that gets everything (−alone +canary):\n%s", diff)
			}
			if got := quarterOf(t, tc.edit); got != usual {
				t.Errorf("the canary gets %d requests, want %d, as without it", got, usual)
			}
		})
	}
}

// canaryWith edits a canary whose pool is like the stable one.
func canaryWith(edit func(*v1alpha1.Scenario, *v1alpha1.Pool, *v1alpha1.Router)) func(*v1alpha1.Scenario) {
	return func(s *v1alpha1.Scenario) {
		s.Horizon.Requests = new(int64(400))
		s.Pools[1].Replicas = s.Pools[0].Replicas
		edit(s, &s.Pools[1], &s.Routers[1].Router)
	}
}

// quarterOf counts the requests of a canary with a weight of 25 of 100. The other ones are the
// stable router's.
func quarterOf(t *testing.T, edit func(*v1alpha1.Scenario, *v1alpha1.Pool, *v1alpha1.Router)) int64 {
	t.Helper()
	d := documentOf(t, canaryRun(t, 25, canaryWith(edit)))
	canary, stable := poolOf(t, d, "canary"), poolOf(t, d, d.Provenance.Pools[0].Name)
	if sum := canary.Requests.Arrived + stable.Requests.Arrived; sum != 400 || canary.Requests.Arrived < 70 || canary.Requests.Arrived > 130 {
		t.Errorf("the canary and the stable router get %d and %d of 400 requests", canary.Requests.Arrived, stable.Requests.Arrived)
	}
	return canary.Requests.Arrived
}

// A scaler that knows the future counts the requests of its router: those of a canary with a weight
// of 0 are none.
func TestAScalerKnowsTheFutureOfItsRouter(t *testing.T) {
	for weight, more := range map[int32]bool{0: false, 100: true} {
		d := documentOf(t, canaryRun(t, weight, canaryWith(func(s *v1alpha1.Scenario, pool *v1alpha1.Pool, r *v1alpha1.Router) {
			scaled(s, pool, r)
			s.Scalers[0].Policy, s.Scalers[0].Parameters = "predictive-oracle", map[string]v1alpha1.PolicyParameter{"capacity": "5"}
		})))
		if peak := poolOf(t, d, "canary").Replicas.Scaling.Peak; (peak > 1) != more {
			t.Errorf("weight %d: %d replicas at most", weight, peak)
		}
	}
}
