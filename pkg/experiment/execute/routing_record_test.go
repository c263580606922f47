// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"bytes"
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// A decision holds what was known of each replica: of requests in flight that are not asked
// about, none is kept.
func TestUnwantedDecisionsAreNotKept(t *testing.T) {
	n := decisionObserver{
		labels: workload.Labels{Tenants: []string{""}, Classes: []string{""}},
		open:   map[int]*RoutingRecord{}, wanted: func(request int) bool { return request == 3 },
	}
	var pool scheduler.ExplanationPool
	made := map[*scheduler.Explanation]bool{}
	for id := range 10 {
		x := pool.Get()
		made[x] = true
		x.Request.ID = id
		n.explained(x)
	}
	if len(n.open) != 1 || n.open[3] == nil || len(made) != 2 {
		t.Errorf("%d decisions are open, and %d explanations were made, want 1 and 2", len(n.open), len(made))
	}
}

// The router sends a request to the port of the first rank. The engine gives it to the second one, which is
// endpoint 2 of all pools.
func TestDecisionsNameTheRankThatTheEngineChose(t *testing.T) {
	pools := []simulator.Pool{{Name: "a", Replicas: 1}, {Name: "p", Replicas: 2, Ranks: 2, OnePort: true}}
	var got *RoutingRecord
	n := decisionObserver{ranks: ranksOf(pools), open: map[int]*RoutingRecord{}, tell: func(d *RoutingRecord) { got = d }}
	for replica, want := range map[int]string{
		simulator.NoReplica: "It went to p/0-rank-0.\n", 0: "It went to p/0-rank-0.\n", 2: "It went to p/0-rank-0, whose engine chose p/0-rank-1.\n",
	} {
		n.open[3] = &RoutingRecord{Names: namesOf(pools)[0], Explanation: &scheduler.Explanation{Endpoint: new(1)}}
		n.ended(simulator.RequestEnd{ID: 3, Replica: replica})
		var b bytes.Buffer
		decisionTable{&b, got}.decision()
		if b.String() != want {
			t.Errorf("served by endpoint %d: %q, want %q", replica, b.String(), want)
		}
	}
}
