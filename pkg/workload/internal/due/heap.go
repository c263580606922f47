// SPDX-License-Identifier: Apache-2.0

package due

import "windtunnel.dev/windtunnel/pkg/simtime"

// Place is a place that sends a request at a time. Where several have places, Of says whose
// it is.
type Place struct {
	At        simtime.Time
	Of, Place int32
}

// Before reports whether a place sends its request before another one does: at one time by
// whose it is, and then by the place.
func (d Place) Before(other Place) bool {
	switch {
	case d.At != other.At:
		return d.At < other.At
	case d.Of != other.Of:
		return d.Of < other.Of
	}
	return d.Place < other.Place
}

// Heap is a binary heap of places, in the order of [Place.Before]. It is container/heap without an allocation for each element.
type Heap []Place

// Push adds a place.
func (h *Heap) Push(d Place) {
	*h = append(*h, d)
	s := *h
	i := len(s) - 1
	for parent := (i - 1) / 2; i > 0 && d.Before(s[parent]); parent = (i - 1) / 2 {
		s[i] = s[parent]
		i = parent
	}
	s[i] = d
}

// Pop takes out the earliest place; there is one.
func (h *Heap) Pop() Place {
	s := *h
	first, last := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	if len(s) == 0 {
		return first
	}
	i := 0
	for child := 1; child < len(s); child = 2*i + 1 {
		if right := child + 1; right < len(s) && s[right].Before(s[child]) {
			child = right
		}
		if last.Before(s[child]) {
			break
		}
		s[i] = s[child]
		i = child
	}
	s[i] = last
	return first
}
