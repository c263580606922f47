// SPDX-License-Identifier: Apache-2.0

package workload

import "windtunnel.dev/windtunnel/pkg/simtime"

// duePlace is a place of a reactor that sends a request at a time.
type duePlace struct {
	at    simtime.Time
	place int32
}

func (d duePlace) before(other duePlace) bool {
	if d.at != other.at {
		return d.at < other.at
	}
	return d.place < other.place
}

// dueHeap is a binary heap of places, the earliest first; at one time the lower place
// comes first. It is container/heap without an allocation for each element.
type dueHeap []duePlace

func (h *dueHeap) push(d duePlace) {
	*h = append(*h, d)
	s := *h
	i := len(s) - 1
	for parent := (i - 1) / 2; i > 0 && d.before(s[parent]); parent = (i - 1) / 2 {
		s[i] = s[parent]
		i = parent
	}
	s[i] = d
}

func (h *dueHeap) pop() duePlace {
	s := *h
	first, last := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	if len(s) == 0 {
		return first
	}
	i := 0
	for child := 1; child < len(s); child = 2*i + 1 {
		if right := child + 1; right < len(s) && s[right].before(s[child]) {
			child = right
		}
		if last.before(s[child]) {
			break
		}
		s[i] = s[child]
		i = child
	}
	s[i] = last
	return first
}
