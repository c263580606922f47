// SPDX-License-Identifier: Apache-2.0

package queue

import "windtunnel.dev/windtunnel/pkg/simtime"

// Entry is a request that is held up before the wait queue until a time.
// Entries of one nanosecond come in the order of the requests' numbers.
type Entry struct {
	At     simtime.Time
	Number int
	Id     int32
}

// Before orders entries by time, then by number.
func (e Entry) Before(f Entry) bool {
	if e.At != f.At {
		return e.At < f.At
	}
	return e.Number < f.Number
}

// Entries are requests on their way to a wait queue. An entry that is removed stays
// in the heap, marked, until it is in front: so the front is always one that counts.
type Entries struct {
	heap []Entry // binary, the earliest entry in front
	// removed counts marked entries. Two may be alike: of a request that was removed
	// and sent here again in one nanosecond.
	removed map[Entry]int
}

// Next returns when the first entry comes, and its request's number; false where
// there is none.
func (h *Entries) Next() (at simtime.Time, number int, ok bool) {
	if len(h.heap) == 0 {
		return simtime.Never, 0, false
	}
	return h.heap[0].At, h.heap[0].Number, true
}

// Push adds an entry.
func (h *Entries) Push(e Entry) {
	h.heap = append(h.heap, e)
	SiftUp(h.heap)
}

// Pop takes the first entry out and returns its request.
func (h *Entries) Pop() int32 {
	first := h.drop()
	h.trim()
	return first.Id
}

// Remove takes an entry out, wherever it stands.
func (h *Entries) Remove(e Entry) {
	if h.removed == nil {
		h.removed = map[Entry]int{}
	}
	h.removed[e]++
	h.trim()
}

// Each calls do for every request on its way, in no particular order.
func (h *Entries) Each(do func(id int32)) {
	var skipped map[Entry]int
	for _, e := range h.heap {
		if skipped[e] < h.removed[e] {
			if skipped == nil {
				skipped = map[Entry]int{}
			}
			skipped[e]++
			continue
		}
		do(e.Id)
	}
}

// trim drops marked entries from the front.
func (h *Entries) trim() {
	for len(h.removed) > 0 && len(h.heap) > 0 {
		front := h.heap[0]
		switch h.removed[front] {
		case 0:
			return
		case 1:
			delete(h.removed, front)
		default:
			h.removed[front]--
		}
		h.drop()
	}
}

// drop takes the front out of the heap.
func (h *Entries) drop() Entry {
	first := h.heap[0]
	last := len(h.heap) - 1
	h.heap[0] = h.heap[last]
	h.heap = h.heap[:last]
	SiftDown(h.heap)
	return first
}
