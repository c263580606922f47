// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/latency"
)

// mayOffload says whether a step that opens so many blocks is one that follow may
// have to do with.
func (l *tierSet) mayOffload(r *replica, needs int) bool {
	switch l.offload.Policy {
	case OffloadLazy:
		return needs > 0 || r.cache.HasEvicted()
	case OffloadThreshold:
		return needs > 0 || l.wanted(r) > 0
	default:
		return false
	}
}

// wanted is how many more blocks OffloadThreshold wants without content.
func (l *tierSet) wanted(r *replica) int { return l.blank - r.cache.Blank() - r.cache.Spilling() }

// offloadAfterForming copies down what the forming of a step has evicted, or is about to, and
// says whether the step has to wait for it.
func (l *tierSet) offloadAfterForming(step latency.Step) bool {
	switch l.offload.Policy {
	case OffloadLazy:
		return l.copyEvicted(step)
	case OffloadThreshold:
		l.spill()
	}
	return false
}

// copyEvicted copies down what the step is about to write over.
func (l *tierSet) copyEvicted(step latency.Step) bool {
	l.spans = l.replica.cache.TakeEvicted(l.spans[:0])
	if len(l.spans) == 0 {
		return false
	}
	c := l.reserve(0, l.tiers[0].store.MissingSpans(nil, l.spans))
	if c == nil {
		return false
	}
	c.holds = step.Sequences > 0
	if c.holds {
		l.replica.held = &step
	}
	l.startCopy(c)
	return c.holds
}

// spill moves the blocks down that would be evicted next, once too few are
// blank.
func (l *tierSet) spill() {
	want := l.wanted(l.replica)
	if want <= 0 {
		return
	}
	var spilled kv.Spill
	spilled, l.spans = l.replica.cache.BeginSpill(want, l.spans[:0])
	c := l.reserve(0, l.tiers[0].store.MissingSpans(nil, l.spans))
	if c == nil {
		l.replica.cache.EndSpill(spilled)
		return
	}
	c.spills, c.spill = true, spilled
	l.spills = append(l.spills, c)
	l.startCopy(c)
}

// endSpill empties the blocks that were spilled.
func (l *tierSet) endSpill(c *copying) {
	l.spills = slices.DeleteFunc(l.spills, func(o *copying) bool { return o == c })
	l.replica.cache.EndSpill(c.spill)
}
