// SPDX-License-Identifier: Apache-2.0

package simulator

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

// waitQueue is a wait queue: a ring in order, where what comes mostly goes to
// an end. The zero value is empty.
type waitQueue struct {
	ring  []ticket // len is 0 or a power of two
	head  int
	n     int
	turns int64
}

func (w *waitQueue) len() int { return w.n }

// at returns the i-th request from the front.
func (w *waitQueue) at(i int) int32 { return w.slot(i).id }

func (w *waitQueue) slot(i int) *ticket { return &w.ring[(w.head+i)&(len(w.ring)-1)] }

// pushBack adds a request that is likely to belong at the end.
func (w *waitQueue) pushBack(t ticket) {
	w.grow()
	i := w.n
	w.n++
	for ; i > 0 && t.before(*w.slot(i - 1)); i-- {
		*w.slot(i) = *w.slot(i - 1)
	}
	*w.slot(i) = t
}

// pushFront adds a request that is likely to belong at the front.
func (w *waitQueue) pushFront(t ticket) {
	w.grow()
	w.head = (w.head - 1) & (len(w.ring) - 1)
	w.n++
	i := 0
	for ; i < w.n-1 && w.slot(i+1).before(t); i++ {
		*w.slot(i) = *w.slot(i + 1)
	}
	*w.slot(i) = t
}

func (w *waitQueue) popFront() {
	w.head = (w.head + 1) & (len(w.ring) - 1)
	w.n--
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
