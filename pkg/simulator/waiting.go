// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
)

// ticket is a request's place in a wait queue: by rank, and within a rank by
// turn, the order of arrival at the engine. A preempted request keeps its turn,
// so that it comes before all that arrived after it.
type ticket struct {
	rank, turn int64
	id         int32
}

func (t ticket) before(u ticket) bool {
	if t.rank != u.rank {
		return t.rank < u.rank
	}
	return t.turn < u.turn
}

// waitQueue is a wait queue. First come, first served, it is a ring: what comes
// goes to the back, and what was preempted to the front, as nothing that waits
// came before it. By rank it is a heap.
type waitQueue struct {
	ranked   bool
	arrivals int64 // how many requests have come

	ring []ticket // len is 0 or a power of two
	head int
	n    int

	heap []ticket

	// removed are the turns of requests that were taken out, while their tickets
	// stay. The ticket in front is never one of those.
	removed map[int64]struct{}
}

func newWaitQueue(scheduler scheduling.Policy) waitQueue {
	_, inTurn := scheduler.(scheduling.FCFS)
	return waitQueue{ranked: !inTurn}
}

func (w *waitQueue) len() int { return w.n + len(w.heap) - len(w.removed) }

// front returns the request whose turn it is.
func (w *waitQueue) front() int32 {
	if w.ranked {
		return w.heap[0].id
	}
	return w.slot(0).id
}

func (w *waitQueue) slot(i int) *ticket { return &w.ring[(w.head+i)&(len(w.ring)-1)] }

// pushBack adds a request that has just come.
func (w *waitQueue) pushBack(t ticket) {
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
// come, those that an admission skipped because their adapter was not loaded, and those
// whose load is cancelled to break a deadlock.
func (w *waitQueue) insert(t ticket) {
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
func (w *waitQueue) pop() {
	w.drop()
	w.trim()
}

// drop takes the front ticket out.
func (w *waitQueue) drop() {
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
func (w *waitQueue) remove(turn int64) {
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
func (w *waitQueue) trim() {
	for len(w.removed) > 0 {
		var front ticket
		if w.ranked {
			front = w.heap[0]
		} else {
			front = *w.slot(0)
		}
		if !w.isRemoved(front) {
			return
		}
		delete(w.removed, front.turn)
		w.drop()
	}
}

// compact drops all removed tickets.
func (w *waitQueue) compact() {
	order := w.inOrder()
	clear(w.removed)
	w.heap, w.head, w.n = w.heap[:0], 0, 0
	for _, t := range order {
		w.pushBack(t)
	}
}

func (w *waitQueue) isRemoved(t ticket) bool {
	_, removed := w.removed[t.turn]
	return removed
}

// each calls do for every request that waits, in no particular order.
func (w *waitQueue) each(do func(id int32)) {
	for i := range w.n {
		if t := w.slot(i); !w.isRemoved(*t) {
			do(t.id)
		}
	}
	for _, t := range w.heap {
		if !w.isRemoved(t) {
			do(t.id)
		}
	}
}

// inOrder returns the queue from front to back.
func (w *waitQueue) inOrder() []ticket {
	order := slices.Clone(w.heap)
	for i := range w.n {
		order = append(order, *w.slot(i))
	}
	order = slices.DeleteFunc(order, w.isRemoved)
	if w.ranked {
		slices.SortFunc(order, func(t, u ticket) int {
			if t.before(u) {
				return -1
			}
			return 1
		})
	}
	return order
}

func (w *waitQueue) grow() {
	if w.n < len(w.ring) {
		return
	}
	ring := make([]ticket, max(16, 2*len(w.ring)))
	for i := range w.n {
		ring[i] = *w.slot(i)
	}
	w.ring, w.head = ring, 0
}
