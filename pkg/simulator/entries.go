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

func (h *entries) pop() int32 {
	first := (*h)[0]
	last := len(*h) - 1
	(*h)[0] = (*h)[last]
	*h = (*h)[:last]
	down(*h)
	return first.id
}
