// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
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
