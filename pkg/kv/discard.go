// SPDX-License-Identifier: Apache-2.0

package kv

// Discard is Release, and drops the content of the sequence's blocks from the
// last one back, up to the first that another sequence holds or that a cached
// block follows: that one would be found, but not reached. Blocks whose content
// is dropped are to be reused first.
func (c *Cache) Discard(s Sequence) {
	if c.running(s).decoding {
		c.StopDecode(s)
	}
	c.keepFamilies()
	dropped := 0
	for {
		n := c.dropLast(s)
		if n == 0 {
			break
		}
		dropped += n
	}
	c.pushFront(dropped)
	c.release(s)
}

// dropLast drops the content of some of the last blocks with a name that the
// sequence holds, and returns how many; 0 where it must not.
func (c *Cache) dropLast(s Sequence) int {
	q := &c.sequences.all[s]
	if len(q.held) == 0 {
		return 0
	}
	h := &q.held[len(q.held)-1]
	at := h.segment
	for left := h.blocks - c.segments.all[at].len(); left > 0; left -= c.segments.all[at].len() {
		at = c.segments.all[at].rest
	}
	if c.segments.all[at].references > 1 {
		return 0
	}
	needed := c.needed(at)
	from, to := c.segments.all[at].from, c.segments.all[at].to
	if needed >= to {
		return 0
	}
	if needed > from {
		c.cut(at, needed)
		at, from = c.segments.all[at].rest, needed
	}
	n := to - from
	c.lose(at)
	h.blocks -= n
	if h.blocks == 0 {
		q.held = q.held[:len(q.held)-1]
	}
	q.tokens -= int(n) * c.blockTokens
	q.named -= n
	return int(n)
}

// needed returns up to which block a segment's stretch has to stay there for
// what else is cached: other segments, and stretches that follow.
func (c *Cache) needed(at int32) int32 {
	owner, to := c.segments.all[at].stretch, c.segments.all[at].to
	c.disturb(owner)
	needed := int32(0)
	for i := c.stretches.all[owner].first; i != none; i = c.segments.all[i].next {
		if i != at {
			needed = max(needed, c.segments.all[i].to-1)
		}
	}
	var next int32
	for child := c.families[owner].children; child != none && needed < to; child = next {
		c.disturb(child)
		next = c.families[child].sibling
		if !c.closeIfEmpty(child) {
			needed = max(needed, c.stretches.all[child].attached)
		}
	}
	return needed
}
