// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// clusterEventOrder is the order of events above the replicas.
var clusterEventOrder = []clusterEvent{
	{at: 1, kind: drainEnds},
	{at: 2, kind: warmUpEnds},
	{at: 2, kind: disruptionComes, sequence: 0},
	{at: 2, kind: disruptionComes, sequence: 1},
	{at: 2, kind: requestArrives},
	{at: 2, kind: gatewayWakes},
	{at: 2, kind: drainEnds},
	{at: 3, kind: warmUpEnds},
	{at: 3, kind: gatewayWakes},
	{at: 4, kind: disruptionComes, sequence: 2},
}

func TestClusterEventsComeInOrderHoweverTheyWereAdded(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		var c clusterEvents
		for _, i := range rng.Perm(len(clusterEventOrder)) {
			e := clusterEventOrder[i]
			c.add(&e)
		}
		if diff := cmp.Diff(clusterEventOrder, taken(&c), allowEvents); diff != "" {
			t.Fatalf("order (-want +got):\n%s", diff)
		}
	}
}

func TestAMovedClusterEventComesAtItsNewTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		var c clusterEvents
		for i := range clusterEventOrder {
			e := clusterEventOrder[i]
			at := e.at
			e.at = simtime.Time(rng.IntN(6))
			c.add(&e)
			if rng.IntN(2) == 0 {
				c.move(&e, simtime.Never)
			}
			c.move(&e, at)
		}
		if diff := cmp.Diff(clusterEventOrder, taken(&c), allowEvents); diff != "" {
			t.Fatalf("order (-want +got):\n%s", diff)
		}
	}
}

func TestOnlyEarlierClusterEventsAreTaken(t *testing.T) {
	var c clusterEvents
	for i := range clusterEventOrder {
		e := clusterEventOrder[i]
		c.add(&e)
	}
	var got []clusterEvent
	for e := c.next(2, requestArrives); e != nil; e = c.next(2, requestArrives) {
		got = append(got, *e)
	}
	if diff := cmp.Diff(clusterEventOrder[:4], got, allowEvents); diff != "" {
		t.Errorf("before the arrival (-want +got):\n%s", diff)
	}
	if c.due() != 2 {
		t.Errorf("the next event is due at %v, want 2", c.due())
	}
}

var allowEvents = cmp.Comparer(func(a, b clusterEvent) bool {
	return a.at == b.at && a.kind == b.kind && a.sequence == b.sequence
})

// taken empties a queue.
func taken(c *clusterEvents) []clusterEvent {
	var all []clusterEvent
	for e := c.next(simtime.Never, drainEnds); e != nil; e = c.next(simtime.Never, drainEnds) {
		all = append(all, *e)
	}
	return all
}
