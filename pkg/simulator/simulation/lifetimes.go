// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// lifetimes are a replica's, in order of time. The To of one that has not ended is
// Never.
type lifetimes []simulator.Lifetime

// present says whether the replica is there.
func (l lifetimes) present() bool { return len(l) > 0 && l[len(l)-1].To == simtime.Never }

// begin begins a lifetime, unless one is under way.
func (l *lifetimes) begin(at simtime.Time) {
	if !l.present() {
		*l = append(*l, simulator.Lifetime{From: at, To: simtime.Never})
	}
}

// end ends the lifetime that is under way, if one is.
func (l lifetimes) end(at simtime.Time) {
	if l.present() {
		l[len(l)-1].To = at
	}
}

// within returns the parts of the lifetimes that lie in an interval.
func (l lifetimes) within(from, to simtime.Time) []simulator.Lifetime {
	var parts []simulator.Lifetime
	for _, part := range l {
		part.From, part.To = max(part.From, from), min(part.To, to)
		if part.From < part.To {
			parts = append(parts, part)
		}
	}
	return parts
}
