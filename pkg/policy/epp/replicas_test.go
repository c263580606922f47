// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/prompt"
)

const counting = `
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: active-request-scorer
- type: max-score-picker
schedulingProfiles:
- name: default
  plugins:
  - {pluginRef: active-request-scorer}
  - {pluginRef: max-score-picker}
`

// chosen are the endpoints of so many requests, none of which ends.
func chosen(t *testing.T, r policy.Router, requests int) []int {
	t.Helper()
	var endpoints []int
	for id := range requests {
		d, err := r.Route(&policy.View{Scrapes: make([]policy.Scrape, 4)}, &policy.Request{
			ID: id, Turn: id, Prompt: prompt.Prompt{}.Append(prompt.Extent{Source: uint64(id), Tokens: 100}), Tokens: 100,
		})
		if err != nil {
			t.Fatal(err)
		}
		endpoints = append(endpoints, d.Endpoint)
	}
	return endpoints
}

// One EPP that counts what it sent where spreads four requests over four
// endpoints. Two EPPs know of two each, so that they choose the same ones.
func TestReplicasShareNoState(t *testing.T) {
	c, errs := Load([]byte(counting), "", nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	collisions := func(n int) int {
		sum := 0
		for seed := range int64(50) {
			used := map[int]bool{}
			for _, e := range chosen(t, NewReplicas(c, config.Cluster{Endpoints: 4, TieBreak: config.TieRandom}, n, seed), 4) {
				if used[e] {
					sum++
				}
				used[e] = true
			}
		}
		return sum
	}
	if got := collisions(1); got != 0 {
		t.Errorf("one EPP sends %d requests to an endpoint that has one, while others have none", got)
	}
	if got := collisions(2); got < 10 {
		t.Errorf("two EPPs collide %d times in 50 cases: they know of each other, or draw the same", got)
	}
}

func TestTheFirstReplicaIsTheScheduler(t *testing.T) {
	c, errs := Load([]byte(counting), "", nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	cluster := config.Cluster{Endpoints: 4}
	alone, one := chosen(t, New(c, cluster, 3), 20), chosen(t, NewReplicas(c, cluster, 1, 3), 20)
	for i := range alone {
		if alone[i] != one[i] {
			t.Fatalf("request %d goes to %d, and behind one replica to %d", i, alone[i], one[i])
		}
	}
}
