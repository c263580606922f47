// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
)

// waitQueue is the wait queue of a replica: one queue of tickets, or a lane for each
// group of requests where the order among groups moves.
type waitQueue struct {
	arrivals int64 // how many requests have come
	single   ticketQueue
	lanes    *lanes // nil where the order does not move
}

func newWaitQueue(s *scheduling.Scheduler) waitQueue {
	ranked := s.Order != nil
	if s.Moving != nil {
		return waitQueue{lanes: newLanes(ranked)}
	}
	return waitQueue{single: ticketQueue{ranked: ranked}}
}

// moves reports whether the order among groups moves, so that choose has to say who is in
// front.
func (w *waitQueue) moves() bool { return w.lanes != nil }

func (w *waitQueue) len() int {
	if w.lanes != nil {
		return w.lanes.n
	}
	return w.single.len()
}

// front returns the request whose turn it is. Where the order moves, that is the one
// that choose has found.
func (w *waitQueue) front() int32 {
	if w.lanes != nil {
		return w.lanes.chosen.front().id
	}
	return w.single.front().id
}

// choose puts the lane in front whose front comes before those of the others.
func (w *waitQueue) choose(before func(a, b ticket) bool) { w.lanes.choose(before) }

// inOrder returns the queue from front to back.
func (w *waitQueue) inOrder(before func(a, b ticket) bool) []ticket {
	if w.lanes == nil {
		return w.single.inOrder()
	}
	var order []ticket
	w.lanes.each(func(t ticket) { order = append(order, t) })
	slices.SortFunc(order, func(a, b ticket) int {
		if before(a, b) {
			return -1
		}
		return 1
	})
	return order
}

// pushBack adds a request that has just come.
func (w *waitQueue) pushBack(t ticket) {
	if w.lanes != nil {
		w.lanes.pushBack(t)
		return
	}
	w.single.pushBack(t)
}

// insert puts a request back, at its turn, that left the queue earlier; few that wait
// came before it. These come back: requests that are preempted, requests whose KV has
// come, those that an admission skipped, and those whose load is cancelled to break a deadlock.
func (w *waitQueue) insert(t ticket) {
	if w.lanes != nil {
		w.lanes.insert(t)
		return
	}
	w.single.insert(t)
}

// pop takes the front request out.
func (w *waitQueue) pop() {
	if w.lanes != nil {
		w.lanes.pop()
		return
	}
	w.single.pop()
}

// remove takes a request out, wherever it stands.
func (w *waitQueue) remove(t ticket) {
	if w.lanes != nil {
		w.lanes.remove(t)
		return
	}
	w.single.remove(t.turn)
}

// each calls do for every request that waits, in no particular order.
func (w *waitQueue) each(do func(id int32)) {
	tickets := func(t ticket) { do(t.id) }
	if w.lanes != nil {
		w.lanes.each(tickets)
		return
	}
	w.single.each(tickets)
}
