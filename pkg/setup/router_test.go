// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

func TestCluster(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*v1alpha1.Scenario)
		want func(*config.Cluster)
	}{
		"nothing": {func(*v1alpha1.Scenario) {}, func(*config.Cluster) {}},
		"a way to break ties": {
			func(s *v1alpha1.Scenario) { s.Router.TieBreak = v1alpha1.RotateTieBreak },
			func(c *config.Cluster) { c.TieBreak = config.TieRotate },
		},
		"conversations": {
			func(s *v1alpha1.Scenario) {
				s.Workload.Clients = []v1alpha1.Client{{Name: "once"}, {Name: "chat", Sessions: &v1alpha1.Sessions{}}}
			},
			func(c *config.Cluster) { c.Sessions = true },
		},
		"late events": {
			func(s *v1alpha1.Scenario) { s.Router.KVEvents = &v1alpha1.KVEvents{Lag: "20ms"} },
			func(c *config.Cluster) { c.EventLag = 20 * time.Millisecond },
		},
		"how good predictions are": {
			func(s *v1alpha1.Scenario) {
				s.Router.LatencyPrediction = &v1alpha1.LatencyPrediction{Error: "0.05", Lag: "1s"}
			},
			func(c *config.Cluster) { c.Prediction = config.PredictionModel{Error: 0.05, Lag: time.Second} },
		},
		"what a token is": {
			func(s *v1alpha1.Scenario) { s.Router.TokenEstimate = &v1alpha1.TokenEstimate{BytesPerToken: "3.5"} },
			func(c *config.Cluster) { c.BytesPerToken = 3.5 },
		},
		"figures of one pool": {
			func(s *v1alpha1.Scenario) {
				s.Pools = append(s.Pools, s.Pools[0])
				s.Pools[1].Replicas = 1
				s.Pools[1].Attributes = map[string]v1alpha1.AttributeValue{"watts": "-1.5"}
			},
			func(c *config.Cluster) {
				c.Endpoints, c.Names = 3, []string{"llama/0", "llama/1", "llama/0"}
				c.Attributes = []map[string]float64{nil, nil, {"watts": -1.5}}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := v1alpha1.Scenario{Pools: []v1alpha1.Pool{{Name: "llama", Replicas: 2}}}
			tc.edit(&s)
			want := config.Cluster{Endpoints: 2, Names: []string{"llama/0", "llama/1"}}
			tc.want(&want)
			got, errs := Cluster(&s, nil)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("cluster (−want +got):\n%s", diff)
			}
		})
	}
}

func TestPredictionIsNotNegative(t *testing.T) {
	_, errs := build(t, func(s *v1alpha1.Scenario) {
		s.Router.LatencyPrediction = &v1alpha1.LatencyPrediction{Error: "0.51"}
	})
	wantFault(t, errs, "spec.scenario.router.latencyPrediction.error", "at most 0.5")
}

func TestExplainSeveralEPPs(t *testing.T) {
	for replicas, want := range map[int32]bool{0: false, 1: false, 2: true, 16: true} {
		router := mustBuild(t, func(s *v1alpha1.Scenario) { s.Router.Replicas = replicas }).Policies.Routing.Router
		if _, several := router.(*epp.Replicas); several != want {
			t.Errorf("%d replicas are a %T", replicas, router)
		}
		if _, ok := router.(interface {
			Explain(func(*scheduler.Explanation))
		}); !ok {
			t.Errorf("a %T does not explain its decisions", router)
		}
	}
}
