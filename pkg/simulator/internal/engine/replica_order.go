// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"math/bits"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/network"
)

// replicaOrder advances replicas that share something, such as a network, in the
// order of time. It is a tournament: a tree over the replicas in which each node
// has the earlier one of two.
type replicaOrder struct {
	fabric *network.Fabric
	// nodes[1] is the root, the replicas' own turns are the leaves, from
	// nodes[leaves] on.
	nodes  []replicaEvent
	leaves int
}

// replicaEvent is the time of a replica's next event. At one nanosecond come entries
// into queues by the requests' numbers, then ends of transfers, ends of steps
// and wakes of idle replicas by the replicas' numbers.
type replicaEvent struct {
	at      simtime.Time
	kind    replicaEventKind
	number  int
	replica int32
}

type replicaEventKind uint8

const (
	entryDue replicaEventKind = iota
	transferEnds
	stepEnds
	replicaWakes
)

func (w replicaEvent) Before(v replicaEvent) bool {
	switch {
	case w.at != v.at:
		return w.at < v.at
	case w.kind != v.kind:
		return w.kind < v.kind
	default:
		return w.number < v.number
	}
}

func newReplicaOrder(replicas int, f *network.Fabric) *replicaOrder {
	leaves := 1 << bits.Len(uint(max(replicas-1, 0)))
	t := &replicaOrder{fabric: f, nodes: make([]replicaEvent, 2*leaves), leaves: leaves}
	for i := range t.nodes {
		t.nodes[i].at = simtime.Never
	}
	return t
}

// set puts a replica's next event into the tree.
func (t *replicaOrder) set(replica int32, w replicaEvent) {
	i := t.leaves + int(replica)
	t.nodes[i] = w
	for i /= 2; i > 0; i /= 2 {
		left, right := t.nodes[2*i], t.nodes[2*i+1]
		if right.Before(left) {
			left = right
		}
		if t.nodes[i] == left {
			return
		}
		t.nodes[i] = left
	}
}

// nextEvent is a replica's next event.
func (r *Replica) nextEvent() replicaEvent {
	w := replicaEvent{at: r.Next, kind: replicaWakes, number: int(r.Index), replica: r.Index}
	if r.Stepping {
		w.kind = stepEnds
	}
	if at, number, ok := r.entries.Next(); ok {
		if e := (replicaEvent{at: at, kind: entryDue, number: number, replica: r.Index}); e.Before(w) {
			return e
		}
	}
	return w
}

// reorder tells of a replica whose next event may have changed.
func (c *Cluster) reorder(r *Replica) {
	if c.order != nil {
		c.order.set(r.Index, r.nextEvent())
	}
}

// AdvanceInOrder brings all replicas up to a time, event by event.
func (c *Cluster) AdvanceInOrder(until simtime.Time) {
	t := c.order
	for !c.Stopped {
		if c.Draining && c.Serving == 0 {
			until = min(until, c.DrainBound)
		}
		first := t.nodes[1]
		transfer := replicaEvent{at: t.fabric.Due(), kind: transferEnds}
		switch {
		case !c.AwaitsEnd:
		case c.Gateway.Heard():
			return
		case c.Gateway.DeliverNext(min(first.at, transfer.at), until):
			continue
		}
		if transfer.Before(first) {
			if transfer.at >= until {
				return
			}
			c.Now = transfer.at
			t.fabric.Land(transfer.at)
			continue
		}
		if first.at >= until {
			return
		}
		c.applyReplicaEvent(&c.Replicas[first.replica], first, min(until, transfer.at, c.Gateway.NextDelivery()))
	}
}

// applyReplicaEvent lets a replica's next event happen, and those after it that give its
// batch one token after the other, up to a time or to what happens to another
// replica.
func (c *Cluster) applyReplicaEvent(r *Replica, event replicaEvent, until simtime.Time) {
	if event.kind == entryDue {
		c.Now = event.at
		r.Enter(r.entries.Pop())
		c.reorder(r)
		return
	}
	if r.LockStep != nil {
		c.Now = event.at
		r.LockStep.nextStep()
		return
	}
	if len(c.Observers) == 0 && r.decodesOnly() {
		c.order.set(r.Index, replicaEvent{at: simtime.Never})
		until = min(until, c.order.nodes[1].at)
		if at, _, ok := r.entries.Next(); ok {
			until = min(until, at)
		}
		r.fastForward(until)
	}
	if r.Next == event.at {
		r.nextStep()
	}
	c.reorder(r)
}

// AdvanceAll advances all replicas.
func (c *Cluster) AdvanceAll(until simtime.Time) {
	if c.order != nil {
		c.AdvanceInOrder(until)
		return
	}
	for i := range c.Replicas {
		c.Replicas[i].Advance(until)
	}
}
