// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"math/bits"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// order is the next events of replicas that share something, such as a network. It is a
// tournament: a tree over the replicas in which each node has the earlier one of two.
type order struct {
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

func newOrder(replicas int) *order {
	leaves := 1 << bits.Len(uint(max(replicas-1, 0)))
	t := &order{nodes: make([]replicaEvent, 2*leaves), leaves: leaves}
	for i := range t.nodes {
		t.nodes[i].at = simtime.Never
	}
	return t
}

// first is the next event of all.
func (t *order) first() replicaEvent { return t.nodes[1] }

// set puts a replica's next event into the tree.
func (t *order) set(replica int32, w replicaEvent) {
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
