// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// Of 3 replicas with 2 ranks, the first computes on one rank, the second on none and the third on both: one is idle.
// The other pool has 2 replicas without ranks, and one is idle.
func TestAReplicaIsIdleIfAllItsRanksAre(t *testing.T) {
	c := &simulator.Config{Pools: []simulator.Pool{{Name: "ranks", Replicas: 6, Ranks: 2}, {Name: "alone", Replicas: 2}}}
	outcome := &simulator.Result{}
	for place, busy := range []time.Duration{0, 1, 0, 0, 1, 1, 0, 1} {
		outcome.Replicas = append(outcome.Replicas, simulator.ReplicaUse{Pool: place / 6, Busy: busy})
	}
	want := []result.IdlePool{{Name: "ranks", Replicas: 3, Idle: 1}, {Name: "alone", Replicas: 2, Idle: 1}}
	if diff := cmp.Diff(want, idlePools(c, outcome)); diff != "" {
		t.Errorf("−want +got:\n%s", diff)
	}
}
