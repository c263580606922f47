// SPDX-License-Identifier: Apache-2.0

package events

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// clusterEventOrder is the order of events above the replicas.
var clusterEventOrder = []Event{
	{At: 1, Kind: DrainEnds},
	{At: 2, Kind: WarmUpEnds},
	{At: 2, Kind: DisruptionComes, Sequence: 0},
	{At: 2, Kind: DisruptionComes, Sequence: 1},
	{At: 2, Kind: RequestArrives},
	{At: 2, Kind: GatewayWakes},
	{At: 2, Kind: DrainEnds},
	{At: 3, Kind: WarmUpEnds},
	{At: 3, Kind: GatewayWakes},
	{At: 4, Kind: DisruptionComes, Sequence: 2},
}

func TestClusterEventsComeInOrderHoweverTheyWereAdded(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		var c Queue
		for _, i := range rng.Perm(len(clusterEventOrder)) {
			e := clusterEventOrder[i]
			c.Add(&e)
		}
		if diff := cmp.Diff(clusterEventOrder, taken(&c), allowEvents); diff != "" {
			t.Fatalf("order (-want +got):\n%s", diff)
		}
	}
}

func TestAMovedClusterEventComesAtItsNewTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		var c Queue
		for i := range clusterEventOrder {
			e := clusterEventOrder[i]
			at := e.At
			e.At = simtime.Time(rng.IntN(6))
			c.Add(&e)
			if rng.IntN(2) == 0 {
				c.Move(&e, simtime.Never)
			}
			c.Move(&e, at)
		}
		if diff := cmp.Diff(clusterEventOrder, taken(&c), allowEvents); diff != "" {
			t.Fatalf("order (-want +got):\n%s", diff)
		}
	}
}

func TestOnlyEarlierClusterEventsAreTaken(t *testing.T) {
	var c Queue
	for i := range clusterEventOrder {
		e := clusterEventOrder[i]
		c.Add(&e)
	}
	var got []Event
	for e := c.Next(2, RequestArrives); e != nil; e = c.Next(2, RequestArrives) {
		got = append(got, *e)
	}
	if diff := cmp.Diff(clusterEventOrder[:4], got, allowEvents); diff != "" {
		t.Errorf("before the arrival (-want +got):\n%s", diff)
	}
	if c.Due() != 2 {
		t.Errorf("the next event is due at %v, want 2", c.Due())
	}
}

var allowEvents = cmp.Comparer(func(a, b Event) bool {
	return a.At == b.At && a.Kind == b.Kind && a.Sequence == b.Sequence
})

// taken empties a queue.
func taken(c *Queue) []Event {
	var all []Event
	for e := c.Next(simtime.Never, DrainEnds); e != nil; e = c.Next(simtime.Never, DrainEnds) {
		all = append(all, *e)
	}
	return all
}
