// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
)

// Waiting is the wait queue of a replica: one queue of tickets, or a lane for each
// group of requests where the order among groups moves.
type Waiting struct {
	Arrivals int64 // how many requests have come
	single   Tickets
	lanes    *lanes // nil where the order does not move
}

// NewWaiting returns an empty queue in the order of a scheduler.
func NewWaiting(s *scheduling.Scheduler) Waiting {
	ranked := s.Order != nil
	if s.Moving != nil {
		return Waiting{lanes: newLanes(ranked)}
	}
	return Waiting{single: Tickets{Ranked: ranked}}
}

// Moves reports whether the order among groups moves, so that Choose has to say who is in
// front.
func (w *Waiting) Moves() bool { return w.lanes != nil }

// Len returns the number of requests that wait.
func (w *Waiting) Len() int {
	if w.lanes != nil {
		return w.lanes.n
	}
	return w.single.Len()
}

// Front returns the request whose turn it is. Where the order moves, that is the one
// that Choose has found.
func (w *Waiting) Front() int32 {
	if w.lanes != nil {
		return w.lanes.chosen.Front().Id
	}
	return w.single.Front().Id
}

// Choose puts the lane in front whose front comes before those of the others.
func (w *Waiting) Choose(before func(a, b Ticket) bool) { w.lanes.choose(before) }

// InOrder returns the queue from front to back.
func (w *Waiting) InOrder(before func(a, b Ticket) bool) []Ticket {
	if w.lanes == nil {
		return w.single.inOrder()
	}
	var order []Ticket
	w.lanes.each(func(t Ticket) { order = append(order, t) })
	slices.SortFunc(order, func(a, b Ticket) int {
		if before(a, b) {
			return -1
		}
		return 1
	})
	return order
}

// PushBack adds a request that has just come.
func (w *Waiting) PushBack(t Ticket) {
	if w.lanes != nil {
		w.lanes.pushBack(t)
		return
	}
	w.single.PushBack(t)
}

// Insert puts a request back, at its turn, that left the queue earlier; few that wait
// came before it. These come back: requests that are preempted, requests whose KV has
// come, those that an admission skipped, and those whose load is cancelled to break a deadlock.
func (w *Waiting) Insert(t Ticket) {
	if w.lanes != nil {
		w.lanes.insert(t)
		return
	}
	w.single.insert(t)
}

// Pop takes the front request out.
func (w *Waiting) Pop() {
	if w.lanes != nil {
		w.lanes.pop()
		return
	}
	w.single.Pop()
}

// Remove takes a request out, wherever it stands.
func (w *Waiting) Remove(t Ticket) {
	if w.lanes != nil {
		w.lanes.remove(t)
		return
	}
	w.single.Remove(t.Turn)
}

// Each calls do for every request that waits, in no particular order.
func (w *Waiting) Each(do func(id int32)) {
	tickets := func(t Ticket) { do(t.Id) }
	if w.lanes != nil {
		w.lanes.each(tickets)
		return
	}
	w.single.each(tickets)
}
