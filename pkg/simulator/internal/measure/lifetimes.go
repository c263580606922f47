// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// Lifetimes are a replica's, in order of time. The To of one that has not ended is
// Never.
type Lifetimes []simulator.Lifetime

// Present says whether the replica is there.
func (l Lifetimes) Present() bool { return len(l) > 0 && l[len(l)-1].To == simtime.Never }

// Begin begins a lifetime, unless one is under way.
func (l *Lifetimes) Begin(at simtime.Time) {
	if !l.Present() {
		*l = append(*l, simulator.Lifetime{From: at, To: simtime.Never})
	}
}

// End ends the lifetime that is under way, if one is.
func (l Lifetimes) End(at simtime.Time) {
	if l.Present() {
		l[len(l)-1].To = at
	}
}

// Within returns the parts of the lifetimes that lie in an interval.
func (l Lifetimes) Within(from, to simtime.Time) []simulator.Lifetime {
	var parts []simulator.Lifetime
	for _, part := range l {
		part.From, part.To = max(part.From, from), min(part.To, to)
		if part.From < part.To {
			parts = append(parts, part)
		}
	}
	return parts
}
