// SPDX-License-Identifier: Apache-2.0

package kv

// stretch is what the cache holds of one prompt.Stretch: segments that cover
// its blocks from the first one to the last one that is cached.
type stretch struct {
	id uint64
	// parent is the stretch before it in every prompt that it is part of, and
	// outlives it. child is one of those that follow, most often the only one:
	// it is found here, and all others in the index.
	parent, child int32
	// The segments, in order of their blocks unless there are copies.
	first, last int32
	// end is how many blocks are covered.
	end int32
	// grower is the sequence in decode whose blocks will follow, and that
	// nobody else has asked for yet.
	grower int32
	// attached is how many blocks of the parent come before it.
	attached int32
	// copied says that blocks may be there more than once.
	copied bool
}

// segment is the blocks [from, to) of a stretch. The same sequences hold all of
// them, or nobody does and they were freed together.
type segment struct {
	stretch  int32
	from, to int32
	// references is how many sequences hold it. Below 0 a spill does.
	references int32
	// named tells copies of a block apart: the lowest is found.
	named int64
	// In the list of the stretch.
	previous, next int32
	// rest is what was cut off the end of the segment.
	rest int32
	// In the free queue, where references is 0; before and after in the list of
	// what is spilled too, where it is negative.
	before, after int32
	blank         int32
}

func (s *segment) len() int32 { return s.to - s.from }

// find returns the stretch of an identity that follows another one, or nothing
// where it is the first; none if it is not there.
func (c *Cache) find(parent int32, id uint64) int32 {
	if parent != none {
		if child := c.stretches.all[parent].child; child != none && c.stretches.all[child].id == id {
			return child
		}
	}
	return c.index.find(id, c.stretches.all)
}

// open returns the stretch that a sequence goes on with, and makes it if it is
// not there.
func (c *Cache) open(q *sequence) int32 {
	if at := c.find(q.parent, q.chain[q.at].ID); at != none {
		return at
	}
	return c.create(q)
}

// create makes the stretch that a sequence goes on with, which is not there.
func (c *Cache) create(q *sequence) int32 {
	at := c.stretches.take()
	parent, id := q.parent, q.chain[q.at].ID
	attached := int32(0)
	if parent != none {
		attached = q.chain[q.at-1].Blocks
	}
	c.stretches.all[at] = stretch{
		id: id, parent: parent, child: none, first: none, last: none, grower: none, attached: attached,
	}
	if c.families != nil {
		c.adopt(at)
	}
	if parent != none && c.stretches.all[parent].child == none {
		c.stretches.all[parent].child = at
	} else {
		c.index.put(id, at)
	}
	return at
}

// closeIfEmpty forgets a stretch of which nothing is left, and says so.
func (c *Cache) closeIfEmpty(at int32) bool {
	t := &c.stretches.all[at]
	if t.first != none || t.grower != none {
		return false
	}
	if t.parent != none && c.stretches.all[t.parent].child == at {
		c.stretches.all[t.parent].child = none
	} else {
		c.index.remove(t.id, at)
	}
	if c.families != nil {
		c.orphan(at)
	}
	c.stretches.release(at)
	return true
}

// shrunk finds out what a stretch still covers after an eviction.
func (c *Cache) shrunk(at int32) {
	t := &c.stretches.all[at]
	before := t.end
	switch {
	case t.first == none:
		t.end = 0
	case !t.copied:
		t.end = c.segments.all[t.last].to
	default:
		t.end = 0
		for s := t.first; s != none; s = c.segments.all[s].next {
			t.end = max(t.end, c.segments.all[s].to)
		}
	}
	if c.watcher != nil && t.end < before {
		c.watcher.BlocksRemoved(t.id, t.end, before)
	}
	if t.first == none {
		c.closeIfEmpty(at)
	}
}

// append adds a segment of blocks that a sequence has just named.
func (c *Cache) append(owner, from, to int32, rank int64) int32 {
	at := c.segments.take()
	c.named++
	t := &c.stretches.all[owner]
	c.segments.all[at] = segment{
		stretch: owner, from: from, to: to, references: 1, named: c.named,
		previous: t.last, next: none, rest: none, before: none, after: none,
	}
	if t.last == none {
		t.first = at
	} else {
		c.segments.all[t.last].next = at
	}
	t.last = at
	if c.order != LRU {
		c.setRank(at, rank)
	}
	t.copied = t.copied || from < t.end
	t.end = max(t.end, to)
	return at
}

// detach takes a segment off the list of its stretch.
func (c *Cache) detach(at int32) {
	s := &c.segments.all[at]
	t := &c.stretches.all[s.stretch]
	if s.previous == none {
		t.first = s.next
	} else {
		c.segments.all[s.previous].next = s.next
	}
	if s.next == none {
		t.last = s.previous
	} else {
		c.segments.all[s.next].previous = s.previous
	}
}

// cut splits a segment before a block. The first part keeps its number.
func (c *Cache) cut(at, block int32) {
	tail := c.segments.take()
	s := &c.segments.all[at]
	c.segments.all[tail] = *s
	t := &c.segments.all[tail]
	t.from, s.to = block, block

	t.previous, s.next = at, tail
	if t.next == none {
		c.stretches.all[s.stretch].last = tail
	} else {
		c.segments.all[t.next].previous = tail
	}
	s.rest = tail
	if c.order != LRU {
		c.setRank(tail, c.ranks[at])
	}

	if s.references > 0 {
		return
	}
	// The last blocks of a free segment go first, so the tail stands before
	// the rest of it in the queue, after the same blanks.
	s.blank = 0
	t.after, s.before = at, tail
	switch {
	case t.before != none:
		c.segments.all[t.before].after = tail
	case s.references < 0:
		c.spills.first = tail
	default:
		c.queue.first = tail
	}
}

// found returns the segment that a look-up of a block finds, which is the one
// named first of those that hold it, and the block up to which it does.
func (c *Cache) found(t *stretch, block int32) (at, until int32) {
	at = none
	for i := t.first; i != none; i = c.segments.all[i].next {
		s := &c.segments.all[i]
		if s.from <= block && block < s.to && (at == none || s.named < c.segments.all[at].named) {
			at = i
		}
	}
	if at == none {
		panic("kv: a block that is covered is not there")
	}
	best := &c.segments.all[at]
	until = best.to
	for i := t.first; i != none; i = c.segments.all[i].next {
		if s := &c.segments.all[i]; s.from > block && s.named < best.named {
			until = min(until, s.from)
		}
	}
	return at, until
}
