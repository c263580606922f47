// SPDX-License-Identifier: Apache-2.0

package kv

// Spill is free blocks that keep their content until it has been copied
// elsewhere, by number. Numbers are used again after Drop.
type Spill int32

// spills is all blocks that are on their way: a list of segments in the order
// in which they left the free queue.
type spills struct {
	first, last int32
	// blocks is how many there are, with those that have lost their content.
	blocks int
	each   pool[spill]
}

// spill is one Spill: how many blocks it keeps.
type spill struct {
	open   bool
	blocks int
}

// spilled is what the references of a spill's segments say.
func spilled(s Spill) int32 { return -1 - int32(s) }

// Spilling returns how many blocks spills keep: they are neither free nor used.
func (c *Cache) Spilling() int { return c.spills.blocks }

// BeginSpill keeps up to n of the blocks with content that would be reused first,
// and appends them to dst in that order. They can be found meanwhile, and leave
// the spill when a sequence takes them over.
//
// Blocks after one that has lost its content must not be found. So when a block
// is evicted, all that is spilled is found no more, and when a spilled block is
// let go of, nor is what was to be reused before it.
func (c *Cache) BeginSpill(n int, dst []Span) (Spill, []Span) {
	k := c.spills.each.take()
	kept := 0
	for kept < n && c.queue.first != none {
		at := c.queue.first
		if s := &c.segments.all[at]; int(s.len()) > n-kept {
			c.cut(at, s.to-int32(n-kept))
			at = c.segments.all[at].rest
		}
		c.unlink(at)
		s := &c.segments.all[at]
		s.references = spilled(Spill(k))
		s.before, s.after = c.spills.last, none
		if s.before == none {
			c.spills.first = at
		} else {
			c.segments.all[s.before].after = at
		}
		c.spills.last = at
		dst = append(dst, Span{c.stretches.all[s.stretch].id, s.to, s.from})
		kept += int(s.len())
	}
	c.spills.each.all[k] = spill{open: true, blocks: kept}
	c.spills.blocks += kept
	return Spill(k), dst
}

// EndSpill ends a spill: those of its blocks that nobody took over meanwhile are
// blank and free, and to be reused first.
func (c *Cache) EndSpill(s Spill) {
	p := c.spillOf(s)
	last := c.spills.last
	for last != none && c.segments.all[last].references != spilled(s) {
		last = c.segments.all[last].before
	}
	c.forgetSpilled(last)
	c.spills.blocks -= p.blocks
	c.pushFront(p.blocks)
	p.open = false
	c.spills.each.release(int32(s))
}

func (c *Cache) spillOf(s Spill) *spill {
	p := &c.spills.each.all[s]
	if !p.open {
		panic("kv: a spill that is over")
	}
	return p
}

// unspill takes a segment that a sequence takes over out of its spill.
func (c *Cache) unspill(at int32) {
	s := &c.segments.all[at]
	blocks := int(s.len())
	c.spills.each.all[-1-s.references].blocks -= blocks
	c.spills.blocks -= blocks
	c.strike(at)
	s.references = 0
}

// strike takes a segment off the list of what is spilled.
func (c *Cache) strike(at int32) {
	s := &c.segments.all[at]
	if s.before == none {
		c.spills.first = s.after
	} else {
		c.segments.all[s.before].after = s.after
	}
	if s.after == none {
		c.spills.last = s.before
	} else {
		c.segments.all[s.after].before = s.before
	}
}

// forgetSpilled makes sure that nothing is found of what was spilled up to and
// with a segment.
func (c *Cache) forgetSpilled(last int32) {
	for at := int32(none); at != last; {
		at = c.spills.first
		c.strike(at)
		c.lose(at)
	}
}

// lose forgets what a segment that is in no queue holds.
func (c *Cache) lose(at int32) {
	owner := c.segments.all[at].stretch
	c.detach(at)
	c.segments.release(at)
	c.shrunk(owner)
}
