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
func (s *simulation) offloadAfterForming(r *replica, step latency.Step) bool {
	switch r.tiers.offload.Policy {
	case OffloadLazy:
		return s.copyEvicted(r, step)
	case OffloadThreshold:
		s.spill(r)
	}
	return false
}

// copyEvicted copies down what the step is about to write over.
func (s *simulation) copyEvicted(r *replica, step latency.Step) bool {
	l := r.tiers
	l.spans = r.cache.Evicted(l.spans[:0])
	if len(l.spans) == 0 {
		return false
	}
	c := s.reserve(r, 0, l.tiers[0].store.MissingOf(nil, l.spans))
	if c == nil {
		return false
	}
	c.holds = step.Sequences > 0
	if c.holds {
		r.held = &step
	}
	s.startCopy(r, c)
	return c.holds
}

// spill moves the blocks down that would be evicted next, once too few are
// blank.
func (s *simulation) spill(r *replica) {
	l := r.tiers
	want := l.wanted(r)
	if want <= 0 {
		return
	}
	var spilled kv.Spill
	spilled, l.spans = r.cache.Spill(want, l.spans[:0])
	c := s.reserve(r, 0, l.tiers[0].store.MissingOf(nil, l.spans))
	if c == nil {
		r.cache.Drop(spilled)
		return
	}
	c.spills, c.spill = true, spilled
	l.spills = append(l.spills, c)
	s.startCopy(r, c)
}

// endSpill empties the blocks that were spilled.
func (s *simulation) endSpill(r *replica, c *copying) {
	r.tiers.spills = slices.DeleteFunc(r.tiers.spills, func(o *copying) bool { return o == c })
	r.cache.Drop(c.spill)
}
