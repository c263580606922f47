// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"cmp"
	"slices"
)

// Ticket is a request's place in a wait queue: by rank, and within a rank by
// turn, the order of arrival at the engine. A preempted request keeps its turn,
// so that it comes before all that arrived after it. Where the order moves, that is
// the order within a group.
type Ticket struct {
	Rank, Turn int64
	Id, Group  int32
}

// Before orders tickets by rank, then by turn.
func (t Ticket) Before(u Ticket) bool {
	if t.Rank != u.Rank {
		return t.Rank < u.Rank
	}
	return t.Turn < u.Turn
}

func (t Ticket) compare(u Ticket) int {
	return cmp.Or(cmp.Compare(t.Rank, u.Rank), cmp.Compare(t.Turn, u.Turn))
}

// Tickets is a queue in the order of tickets. First come, first served, it is a
// ring: what comes goes to the back, and what was preempted to the front, as nothing
// that waits came before it. By rank it is a heap.
type Tickets struct {
	Ranked bool

	ring []Ticket // len is 0 or a power of two
	head int
	n    int

	heap []Ticket

	// removed are the turns of requests that were taken out, while their tickets
	// stay. The ticket in front is never one of those.
	removed map[int64]struct{}
}

// Len returns the number of tickets.
func (w *Tickets) Len() int { return w.n + len(w.heap) - len(w.removed) }

// Front returns the ticket whose turn it is.
func (w *Tickets) Front() Ticket {
	if w.Ranked {
		return w.heap[0]
	}
	return *w.slot(0)
}

func (w *Tickets) slot(i int) *Ticket { return &w.ring[(w.head+i)&(len(w.ring)-1)] }

// PushBack adds a request that has just come.
func (w *Tickets) PushBack(t Ticket) {
	if w.Ranked {
		w.heap = append(w.heap, t)
		SiftUp(w.heap)
		return
	}
	w.grow()
	*w.slot(w.n) = t
	w.n++
}

// insert puts a request back, at its turn, that left the queue earlier; few that wait
// came before it. These come back: requests that are preempted, requests whose KV has
// come, those that an admission skipped, and those whose load is cancelled to break a deadlock.
func (w *Tickets) insert(t Ticket) {
	if w.Ranked {
		w.PushBack(t)
		return
	}
	w.grow()
	w.head = (w.head - 1) & (len(w.ring) - 1)
	w.n++
	i := 0
	for ; i+1 < w.n && w.slot(i+1).Before(t); i++ {
		*w.slot(i) = *w.slot(i + 1)
	}
	*w.slot(i) = t
}

// Pop takes the front request out.
func (w *Tickets) Pop() {
	w.drop()
	w.trim()
}

// drop takes the front ticket out.
func (w *Tickets) drop() {
	if !w.Ranked {
		w.head = (w.head + 1) & (len(w.ring) - 1)
		w.n--
		return
	}
	last := len(w.heap) - 1
	w.heap[0] = w.heap[last]
	w.heap = w.heap[:last]
	SiftDown(w.heap)
}

// fewRemoved is how many removed tickets a queue keeps however few requests wait.
const fewRemoved = 32

// Remove takes a request out, wherever it stands, in constant time on average: its
// ticket stays until it is in front, or until half of the tickets are such.
func (w *Tickets) Remove(turn int64) {
	if w.removed == nil {
		w.removed = map[int64]struct{}{}
	}
	w.removed[turn] = struct{}{}
	w.trim()
	if len(w.removed) > max(fewRemoved, w.Len()) {
		w.compact()
	}
}

// trim drops removed tickets from the front.
func (w *Tickets) trim() {
	for len(w.removed) > 0 {
		front := w.Front()
		if !w.isRemoved(front) {
			return
		}
		delete(w.removed, front.Turn)
		w.drop()
	}
}

// compact drops all removed tickets.
func (w *Tickets) compact() {
	order := w.inOrder()
	clear(w.removed)
	w.heap, w.head, w.n = w.heap[:0], 0, 0
	for _, t := range order {
		w.PushBack(t)
	}
}

func (w *Tickets) isRemoved(t Ticket) bool {
	_, removed := w.removed[t.Turn]
	return removed
}

// each calls do for every ticket, in no particular order.
func (w *Tickets) each(do func(Ticket)) {
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
func (w *Tickets) inOrder() []Ticket {
	var order []Ticket
	w.each(func(t Ticket) { order = append(order, t) })
	slices.SortFunc(order, Ticket.compare)
	return order
}

func (w *Tickets) grow() {
	if w.n < len(w.ring) {
		return
	}
	ring := make([]Ticket, max(16, 2*len(w.ring)))
	for i := range w.n {
		ring[i] = *w.slot(i)
	}
	w.ring, w.head = ring, 0
}
