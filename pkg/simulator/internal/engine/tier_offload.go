// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// mayOffload says whether a step that opens so many blocks is one that follow may
// have to do with.
func (l *tierSet) mayOffload(r *Replica, needs int) bool {
	return l.offload.Policy != simulator.OffloadEager && (needs > 0 || r.Cache.HasEvicted() || l.looksAhead())
}

// looksAhead says whether OffloadThreshold may have something to copy: not where neither
// the free blocks nor the tier have changed since it last copied all that it wanted.
func (l *tierSet) looksAhead() bool {
	return l.offload.Policy == simulator.OffloadThreshold && l.wanted() > 0 &&
		(l.lookAgain || l.looked != l.replica.Cache.FreeChanges() || l.Tiers[0].shared)
}

// wanted is how many blocks OffloadThreshold wants to have copied before their places are
// needed: as many as have content beyond the threshold, if the tier holds so many.
func (l *tierSet) wanted() int {
	return min(l.blank-l.replica.Cache.Blank(), l.Tiers[0].Store.Blocks())
}

// offloadAfterForming copies down what the forming of a step has evicted, and what is
// about to be evicted, and says whether the step has to wait for it.
func (l *tierSet) offloadAfterForming(step latency.Step) bool {
	if l.offload.Policy == simulator.OffloadEager {
		return false
	}
	l.copyEvicted(step.Sequences > 0)
	if l.holding > 0 {
		l.replica.Held = &step
		return true
	}
	l.copyAhead()
	return false
}

// copyEvicted copies down what the step is about to write over. The step waits for that,
// and for copies under way of the same blocks.
func (l *tierSet) copyEvicted(holds bool) {
	l.spans = l.replica.Cache.TakeEvicted(l.spans[:0])
	if len(l.spans) == 0 {
		return
	}
	if holds {
		for _, c := range l.ahead {
			if l.Tiers[0].Store.Reserves(c.pending, l.spans) {
				l.hold(c)
			}
		}
	}
	l.copyFromGPU(l.Tiers[0].Store.MissingSpans(nil, l.spans), func(c *copying) {
		if holds {
			l.hold(c)
		}
	})
}

// hold has the step that was just formed wait for a copy.
func (l *tierSet) hold(c *copying) {
	c.holds = true
	l.holding++
}

// copyAhead copies the blocks down that would be evicted next, where it has to. They keep
// their content, and may be used and evicted meanwhile.
func (l *tierSet) copyAhead() {
	if !l.looksAhead() {
		return
	}
	l.looked = l.replica.Cache.FreeChanges()
	l.spans = l.replica.Cache.NextEvicted(l.wanted(), l.spans[:0])
	missing := l.Tiers[0].Store.MissingSpans(nil, l.spans)
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
func (l *tierSet) endHold() {
	l.holding--
	if l.holding > 0 {
		return
	}
	l.copyAhead()
	r := l.replica
	step := *r.Held
	r.Held = nil
	r.settleGauges()
	r.beginStep(step)
	r.Cluster.reorder(r)
}

// endAhead notes that blocks are copied.
func (l *tierSet) endAhead(c *copying) {
	l.ahead = slices.DeleteFunc(l.ahead, func(o *copying) bool { return o == c })
}
