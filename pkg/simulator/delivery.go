// SPDX-License-Identifier: Apache-2.0

package simulator

import "windtunnel.dev/windtunnel/pkg/simtime"

// delivery is something of an answer that reaches the gateway at a time: its
// first token, or its end, whose last token came at another time. What arrives
// in one nanosecond is told in order of the requests' numbers.
type delivery struct {
	at, last simtime.Time
	number   int
	id       int32
	ends     bool
}

func (d delivery) before(e delivery) bool {
	switch {
	case d.at != e.at:
		return d.at < e.at
	case d.number != e.number:
		return d.number < e.number
	default:
		return !d.ends && e.ends
	}
}

// deliveries is a binary heap with the earliest delivery in front.
type deliveries []delivery

func (h *deliveries) push(d delivery) {
	*h = append(*h, d)
	up(*h)
}

func (h *deliveries) pop() delivery {
	first := (*h)[0]
	last := len(*h) - 1
	(*h)[0] = (*h)[last]
	*h = (*h)[:last]
	down(*h)
	return first
}
