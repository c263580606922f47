// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"cmp"
	"slices"
)

// ticket is a request's place in a wait queue: by rank, and within a rank by
// turn, the order of arrival at the engine. A preempted request keeps its turn,
// so that it comes before all that arrived after it. Where the order moves, that is
// the order within a group.
type ticket struct {
	rank, turn int64
	id, group  int32
}

func (t ticket) before(u ticket) bool {
	if t.rank != u.rank {
		return t.rank < u.rank
	}
	return t.turn < u.turn
}

func (t ticket) compare(u ticket) int {
	return cmp.Or(cmp.Compare(t.rank, u.rank), cmp.Compare(t.turn, u.turn))
}

// ticketQueue is a queue in the order of tickets. First come, first served, it is a
// ring: what comes goes to the back, and what was preempted to the front, as nothing
// that waits came before it. By rank it is a heap.
type ticketQueue struct {
	ranked bool

	ring []ticket // len is 0 or a power of two
	head int
	n    int

	heap []ticket

	// removed are the turns of requests that were taken out, while their tickets
	// stay. The ticket in front is never one of those.
	removed map[int64]struct{}
}

func (w *ticketQueue) len() int { return w.n + len(w.heap) - len(w.removed) }

// front returns the ticket whose turn it is.
func (w *ticketQueue) front() ticket {
	if w.ranked {
		return w.heap[0]
	}
	return *w.slot(0)
}

func (w *ticketQueue) slot(i int) *ticket { return &w.ring[(w.head+i)&(len(w.ring)-1)] }

// pushBack adds a request that has just come.
func (w *ticketQueue) pushBack(t ticket) {
	if w.ranked {
		w.heap = append(w.heap, t)
		siftUp(w.heap)
		return
	}
	w.grow()
	*w.slot(w.n) = t
	w.n++
}

// insert puts a request back, at its turn, that left the queue earlier; few that wait
// came before it. These come back: requests that are preempted, requests whose KV has
// come, those that an admission skipped, and those whose load is cancelled to break a deadlock.
func (w *ticketQueue) insert(t ticket) {
	if w.ranked {
		w.pushBack(t)
		return
	}
	w.grow()
	w.head = (w.head - 1) & (len(w.ring) - 1)
	w.n++
	i := 0
	for ; i+1 < w.n && w.slot(i+1).before(t); i++ {
		*w.slot(i) = *w.slot(i + 1)
	}
	*w.slot(i) = t
}

// pop takes the front request out.
func (w *ticketQueue) pop() {
	w.drop()
	w.trim()
}

// drop takes the front ticket out.
func (w *ticketQueue) drop() {
	if !w.ranked {
		w.head = (w.head + 1) & (len(w.ring) - 1)
		w.n--
		return
	}
	last := len(w.heap) - 1
	w.heap[0] = w.heap[last]
	w.heap = w.heap[:last]
	siftDown(w.heap)
}

// fewRemoved is how many removed tickets a queue keeps however few requests wait.
const fewRemoved = 32

// remove takes a request out, wherever it stands, in constant time on average: its
// ticket stays until it is in front, or until half of the tickets are such.
func (w *ticketQueue) remove(turn int64) {
	if w.removed == nil {
		w.removed = map[int64]struct{}{}
	}
	w.removed[turn] = struct{}{}
	w.trim()
	if len(w.removed) > max(fewRemoved, w.len()) {
		w.compact()
	}
}

// trim drops removed tickets from the front.
func (w *ticketQueue) trim() {
	for len(w.removed) > 0 {
		front := w.front()
		if !w.isRemoved(front) {
			return
		}
		delete(w.removed, front.turn)
		w.drop()
	}
}

// compact drops all removed tickets.
func (w *ticketQueue) compact() {
	order := w.inOrder()
	clear(w.removed)
	w.heap, w.head, w.n = w.heap[:0], 0, 0
	for _, t := range order {
		w.pushBack(t)
	}
}

func (w *ticketQueue) isRemoved(t ticket) bool {
	_, removed := w.removed[t.turn]
	return removed
}

// each calls do for every ticket, in no particular order.
func (w *ticketQueue) each(do func(ticket)) {
	for i := range w.n {
		if t := w.slot(i); !w.isRemoved(*t) {
			do(*t)
		}
	}
	for _, t := range w.heap {
		if !w.isRemoved(t) {
			do(t)
		}
	}
}

// inOrder returns the queue from front to back.
func (w *ticketQueue) inOrder() []ticket {
	var order []ticket
	w.each(func(t ticket) { order = append(order, t) })
	slices.SortFunc(order, ticket.compare)
	return order
}

func (w *ticketQueue) grow() {
	if w.n < len(w.ring) {
		return
	}
	ring := make([]ticket, max(16, 2*len(w.ring)))
	for i := range w.n {
		ring[i] = *w.slot(i)
	}
	w.ring, w.head = ring, 0
}
