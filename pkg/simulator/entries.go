// SPDX-License-Identifier: Apache-2.0

package simulator

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

// entries is a binary heap with the earliest entry in front.
type entries []entry

func (h *entries) push(e entry) {
	*h = append(*h, e)
	up(*h)
}

// remove takes a request's entry out.
func (h *entries) remove(id int32) {
	all := *h
	*h = all[:0]
	for _, e := range all {
		if e.id != id {
			h.push(e)
		}
	}
}

func (h *entries) pop() int32 {
	first := (*h)[0]
	last := len(*h) - 1
	(*h)[0] = (*h)[last]
	*h = (*h)[:last]
	down(*h)
	return first.id
}
