// SPDX-License-Identifier: Apache-2.0

package tier

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/simulator"
)

// MayOffload says whether a step that opens so many blocks is one after which Offload may
// have something to do.
func (l *Set) MayOffload(needs int) bool {
	return l.offload.Policy != simulator.OffloadEager && (needs > 0 || l.cache.HasEvicted() || l.looksAhead())
}

// looksAhead says whether OffloadThreshold may have something to copy: not where neither
// the free blocks nor the tier have changed since it last copied all that it wanted.
func (l *Set) looksAhead() bool {
	return l.offload.Policy == simulator.OffloadThreshold && l.wanted() > 0 &&
		(l.lookAgain || l.looked != l.cache.FreeChanges() || l.levels[0].shared)
}

// wanted is how many blocks OffloadThreshold wants to have copied before their places are
// needed: as many as have content beyond the threshold, if the tier holds so many.
func (l *Set) wanted() int {
	return min(l.blank-l.cache.Blank(), l.levels[0].store.Blocks())
}

// Offload copies down what the forming of a step has evicted, and what is about to be
// evicted, and says whether the step has to wait for it. steps says that there is a step.
func (l *Set) Offload(steps bool) (waits bool) {
	if l.offload.Policy == simulator.OffloadEager {
		return false
	}
	l.copyEvicted(steps)
	if l.holding > 0 {
		return true
	}
	l.copyAhead()
	return false
}

// copyEvicted copies down what the step is about to write over. The step waits for that,
// and for copies under way of the same blocks.
func (l *Set) copyEvicted(holds bool) {
	l.spans = l.cache.TakeEvicted(l.spans[:0])
	if len(l.spans) == 0 {
		return
	}
	if holds {
		for _, c := range l.ahead {
			if l.levels[0].store.Reserves(c.pending, l.spans) {
				l.hold(c)
			}
		}
	}
	l.copyFromGPU(l.missing(0, l.spans), func(c *copying) {
		if holds {
			l.hold(c)
		}
	})
}

// hold has the step that was just formed wait for a copy.
func (l *Set) hold(c *copying) {
	c.holds = true
	l.holding++
}

// copyAhead copies the blocks down that would be evicted next, where it has to. They keep
// their content, and may be used and evicted meanwhile.
func (l *Set) copyAhead() {
	if !l.looksAhead() {
		return
	}
	l.looked = l.cache.FreeChanges()
	l.spans = l.cache.NextEvicted(l.wanted(), l.spans[:0])
	missing := l.missing(0, l.spans)
	l.lookAgain = len(missing) > 0
	c := l.reserve(0, missing)
	if c == nil {
		return
	}
	c.ahead = true
	l.ahead = append(l.ahead, c)
	l.startCopy(c)
}

// endHold lets the step begin that waited for a copy, if it waits for no other. What is
// copied ahead does not slow what a step waits for.
func (l *Set) endHold() {
	l.holding--
	if l.holding > 0 {
		return
	}
	l.copyAhead()
	l.owner.BeginHeld()
}

// endAhead notes that blocks are copied.
func (l *Set) endAhead(c *copying) {
	l.ahead = slices.DeleteFunc(l.ahead, func(o *copying) bool { return o == c })
}
