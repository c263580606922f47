// SPDX-License-Identifier: Apache-2.0

package simulator

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

func (w replicaEvent) before(v replicaEvent) bool {
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
		if right.before(left) {
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
	if at, number, ok := r.entries.next(); ok {
		if e := (replicaEvent{at: at, kind: entryDue, number: number, replica: r.index}); e.before(w) {
			return e
		}
	}
	return w
}

// reorder tells of a replica whose next event may have changed.
func (s *simulation) reorder(r *replica) {
	if s.order != nil {
		s.order.set(r.index, r.nextEvent())
	}
}

// advanceInOrder brings all replicas up to a time, event by event.
func (s *simulation) advanceInOrder(until simtime.Time) {
	t := s.order
	for !s.stopped {
		if s.draining && s.serving == 0 {
			until = min(until, s.drainBound)
		}
		first := t.nodes[1]
		transfer := replicaEvent{at: t.fabric.due(), kind: transferEnds}
		switch {
		case !s.awaitsEnd:
		case s.heard:
			return
		case s.deliverNext(min(first.at, transfer.at), until):
			continue
		}
		if transfer.before(first) {
			if transfer.at >= until {
				return
			}
			s.land(t.fabric, transfer.at)
			continue
		}
		if first.at >= until {
			return
		}
		s.applyReplicaEvent(&s.replicas[first.replica], first, min(until, transfer.at, s.nextDelivery()))
	}
}

// applyReplicaEvent lets a replica's next event happen, and those after it that give its
// batch one token after the other, up to a time or to what happens to another
// replica.
func (s *simulation) applyReplicaEvent(r *replica, event replicaEvent, until simtime.Time) {
	if event.kind == entryDue {
		s.now = event.at
		s.enter(r, r.entries.pop())
		s.reorder(r)
		return
	}
	if len(s.observers) == 0 && r.decodesOnly() {
		s.order.set(r.index, replicaEvent{at: simtime.Never})
		until = min(until, s.order.nodes[1].at)
		if at, _, ok := r.entries.next(); ok {
			until = min(until, at)
		}
		s.fastForward(r, until)
	}
	if r.next == event.at {
		s.nextStep(r)
	}
	s.reorder(r)
}

// nextDelivery is when something reaches the gateway that may bring a request; Never
// where nobody waits for that.
func (s *simulation) nextDelivery() simtime.Time {
	if s.listener == nil || len(s.deliveries) == 0 {
		return simtime.Never
	}
	return s.deliveries[0].at + 1
}
