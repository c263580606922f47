// SPDX-License-Identifier: Apache-2.0

package simulator

// queue is a wait queue of request slots: a ring that grows, first in first
// out, where preempted requests return to the front. The zero value is empty.
type queue struct {
	ring []int32 // len is 0 or a power of two
	head int
	n    int
}

func (w *queue) len() int { return w.n }

// at returns the i-th request from the front.
func (w *queue) at(i int) int32 { return w.ring[(w.head+i)&(len(w.ring)-1)] }

func (w *queue) pushBack(id int32) {
	w.grow()
	w.ring[(w.head+w.n)&(len(w.ring)-1)] = id
	w.n++
}

func (w *queue) pushFront(id int32) {
	w.grow()
	w.head = (w.head - 1) & (len(w.ring) - 1)
	w.ring[w.head] = id
	w.n++
}

func (w *queue) popFront() int32 {
	id := w.at(0)
	w.head = (w.head + 1) & (len(w.ring) - 1)
	w.n--
	return id
}

func (w *queue) grow() {
	if w.n < len(w.ring) {
		return
	}
	ring := make([]int32, max(16, 2*len(w.ring)))
	for i := range w.n {
		ring[i] = w.at(i)
	}
	w.ring, w.head = ring, 0
}
