// SPDX-License-Identifier: Apache-2.0

package tier

import (
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/simulator"
)

// offloads are the copies of what the GPU evicts, or is about to, under OffloadLazy and
// OffloadThreshold.
type offloads struct {
	copies *copies
	// blank is how many GPU blocks without content OffloadThreshold wants: it copies as many
	// as there are fewer.
	blank int
	// ahead is what OffloadThreshold has under way, and holding how many copies the step
	// that is formed waits for. looked is the FreeChanges of the cache as of when it last
	// looked for more, and lookAgain that it may have left something then.
	ahead     []*copying
	holding   int
	looked    uint64
	lookAgain bool
}

func newOffloads(c *copies) offloads {
	o, p := offloads{copies: c}, c.owner.Pool
	if c.policy == simulator.OffloadThreshold {
		o.blank = p.KVBlocks - int(math.Floor(float64(p.Tiers.Offload.Threshold*float64(p.KVBlocks))))
	}
	return o
}

// empty forgets what is under way, and has a new cache note what it evicts.
func (o *offloads) empty() {
	o.ahead, o.holding, o.lookAgain = nil, 0, true
	if o.copies.policy != simulator.OffloadEager {
		o.copies.cache.RecordEvictions()
	}
}

// MayOffload says whether Offload may have something to do after a step that opens a number
// of blocks.
func (o *offloads) MayOffload(needs int) bool {
	return o.copies.policy != simulator.OffloadEager && (needs > 0 || o.copies.cache.HasEvicted() || o.looksAhead())
}

// looksAhead says whether OffloadThreshold may have something to copy: not where neither
// the free blocks nor the tier have changed since it last copied all that it wanted.
func (o *offloads) looksAhead() bool {
	return o.copies.policy == simulator.OffloadThreshold && o.wanted() > 0 &&
		(o.lookAgain || o.looked != o.copies.cache.FreeChanges() || o.copies.levels[0].shared)
}

// wanted is how many blocks OffloadThreshold wants to have copied before their places are
// needed: as many as have content beyond the threshold, if the tier has room for them.
func (o *offloads) wanted() int {
	return min(o.blank-o.copies.cache.Blank(), o.copies.levels[0].store.Blocks())
}

// Offload copies down what the forming of a step has evicted, and what is about to be
// evicted, and says whether the step has to wait for it. steps says that there is a step.
func (o *offloads) Offload(steps bool) (waits bool) {
	if o.copies.policy == simulator.OffloadEager {
		return false
	}
	o.copyEvicted(steps)
	if o.holding > 0 {
		return true
	}
	o.copyAhead()
	return false
}

// copyEvicted copies down what the step is about to write over. The step waits for that,
// and for copies under way of the same blocks.
func (o *offloads) copyEvicted(holds bool) {
	o.copies.spans = o.copies.cache.TakeEvicted(o.copies.spans[:0])
	if len(o.copies.spans) == 0 {
		return
	}
	if holds {
		for _, c := range o.ahead {
			if o.copies.levels[0].store.Reserves(c.pending, o.copies.spans) {
				o.hold(c)
			}
		}
	}
	o.copies.copyFromGPU(o.copies.missing(0, o.copies.spans), func(c *copying) {
		if holds {
			o.hold(c)
		}
	})
}

// hold has the step that was just formed wait for a copy.
func (o *offloads) hold(c *copying) {
	c.holds = true
	o.holding++
}

// copyAhead copies the blocks down that would be evicted next, where it has to. They keep
// their content, and may be used and evicted meanwhile.
func (o *offloads) copyAhead() {
	if !o.looksAhead() {
		return
	}
	o.looked = o.copies.cache.FreeChanges()
	o.copies.spans = o.copies.cache.NextEvicted(o.wanted(), o.copies.spans[:0])
	missing := o.copies.missing(0, o.copies.spans)
	o.lookAgain = len(missing) > 0
	c := o.copies.reserve(0, missing)
	if c == nil {
		return
	}
	c.ahead = true
	o.ahead = append(o.ahead, c)
	o.copies.startCopy(c)
}

// landed notes that a copy has arrived. The step begins that waited for it, if it waits for
// no other. What is copied ahead does not slow what a step waits for.
func (o *offloads) landed(c *copying) {
	if c.ahead {
		o.ahead = slices.DeleteFunc(o.ahead, func(other *copying) bool { return other == c })
	}
	if !c.holds {
		return
	}
	o.holding--
	if o.holding > 0 {
		return
	}
	o.copyAhead()
	o.copies.owner.BeginHeld()
}
