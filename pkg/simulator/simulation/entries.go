// SPDX-License-Identifier: Apache-2.0

package simulation

import "windtunnel.dev/windtunnel/pkg/simtime"

// entry is a request that is held up before the wait queue until a time.
// Entries of one nanosecond come in the order of the requests' numbers.
type entry struct {
	at     simtime.Time
	number int
	id     int32
}

func (e entry) before(f entry) bool {
	if e.at != f.at {
		return e.at < f.at
	}
	return e.number < f.number
}

// entries are requests on their way to a wait queue. An entry that is removed stays
// in the heap, marked, until it is in front: so the front is always one that counts.
type entries struct {
	heap []entry // binary, the earliest entry in front
	// removed counts marked entries. Two may be alike: of a request that was removed
	// and sent here again in one nanosecond.
	removed map[entry]int
}

// next returns when the first entry comes, and its request's number; false where
// there is none.
func (h *entries) next() (at simtime.Time, number int, ok bool) {
	if len(h.heap) == 0 {
		return simtime.Never, 0, false
	}
	return h.heap[0].at, h.heap[0].number, true
}

func (h *entries) push(e entry) {
	h.heap = append(h.heap, e)
	siftUp(h.heap)
}

// pop takes the first entry out and returns its request.
func (h *entries) pop() int32 {
	first := h.drop()
	h.trim()
	return first.id
}

// remove takes an entry out, wherever it stands.
func (h *entries) remove(e entry) {
	if h.removed == nil {
		h.removed = map[entry]int{}
	}
	h.removed[e]++
	h.trim()
}

// each calls do for every request on its way, in no particular order.
func (h *entries) each(do func(id int32)) {
	var skipped map[entry]int
	for _, e := range h.heap {
		if skipped[e] < h.removed[e] {
			if skipped == nil {
				skipped = map[entry]int{}
			}
			skipped[e]++
			continue
		}
		do(e.id)
	}
}

// trim drops marked entries from the front.
func (h *entries) trim() {
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
func (h *entries) drop() entry {
	first := h.heap[0]
	last := len(h.heap) - 1
	h.heap[0] = h.heap[last]
	h.heap = h.heap[:last]
	siftDown(h.heap)
	return first
}
