// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"math/bits"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// replicaOrder advances replicas that share something, such as a network, in the
// order of time. It is a tournament: a tree over the replicas in which each node
// has the earlier one of two.
type replicaOrder struct {
	fabric *fabric
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

func newReplicaOrder(replicas int, f *fabric) *replicaOrder {
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
func (r *replica) nextEvent() replicaEvent {
	w := replicaEvent{at: r.next, kind: replicaWakes, number: int(r.index), replica: r.index}
	if r.stepping {
		w.kind = stepEnds
	}
	if at, number, ok := r.entries.Next(); ok {
		if e := (replicaEvent{at: at, kind: entryDue, number: number, replica: r.index}); e.Before(w) {
			return e
		}
	}
	return w
}

// reorder tells of a replica whose next event may have changed.
func (c *cluster) reorder(r *replica) {
	if c.order != nil {
		c.order.set(r.index, r.nextEvent())
	}
}

// advanceInOrder brings all replicas up to a time, event by event.
func (c *cluster) advanceInOrder(until simtime.Time) {
	t := c.order
	for !c.stopped {
		if c.draining && c.serving == 0 {
			until = min(until, c.drainBound)
		}
		first := t.nodes[1]
		transfer := replicaEvent{at: t.fabric.due(), kind: transferEnds}
		switch {
		case !c.awaitsEnd:
		case c.gateway.Heard():
			return
		case c.gateway.DeliverNext(min(first.at, transfer.at), until):
			continue
		}
		if transfer.Before(first) {
			if transfer.at >= until {
				return
			}
			c.land(t.fabric, transfer.at)
			continue
		}
		if first.at >= until {
			return
		}
		c.applyReplicaEvent(&c.replicas[first.replica], first, min(until, transfer.at, c.gateway.NextDelivery()))
	}
}

// applyReplicaEvent lets a replica's next event happen, and those after it that give its
// batch one token after the other, up to a time or to what happens to another
// replica.
func (c *cluster) applyReplicaEvent(r *replica, event replicaEvent, until simtime.Time) {
	if event.kind == entryDue {
		c.now = event.at
		r.enter(r.entries.Pop())
		c.reorder(r)
		return
	}
	if r.lockStep != nil {
		c.now = event.at
		r.lockStep.nextStep()
		return
	}
	if len(c.observers) == 0 && r.decodesOnly() {
		c.order.set(r.index, replicaEvent{at: simtime.Never})
		until = min(until, c.order.nodes[1].at)
		if at, _, ok := r.entries.Next(); ok {
			until = min(until, at)
		}
		r.fastForward(until)
	}
	if r.next == event.at {
		r.nextStep()
	}
	c.reorder(r)
}

// advanceAll advances all replicas.
func (c *cluster) advanceAll(until simtime.Time) {
	if c.order != nil {
		c.advanceInOrder(until)
		return
	}
	for i := range c.replicas {
		c.replicas[i].advance(until)
	}
}
