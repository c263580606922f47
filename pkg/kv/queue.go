// SPDX-License-Identifier: Apache-2.0

package kv

// queue is the free blocks in the order in which they are to be reused: a list
// of segments, each of which goes from its last block to its first. Blocks
// without content lie between them and are only counted: a segment's blank is
// how many come right before it, and the queue's how many come after all. In
// another order than LRU they all come first, and the queue counts them.
type queue struct {
	first, last int32
	blank       int
}

// pushBlank puts n blocks without content at the end of the queue.
func (c *Cache) pushBlank(n int) {
	c.queue.blank += n
	c.blank += n
	c.free += n
}

// pushFront puts n blocks that have lost their content at the front of the
// queue.
func (c *Cache) pushFront(n int) {
	if c.order != LRU || c.queue.first == none {
		c.pushBlank(n)
		return
	}
	c.segments.all[c.queue.first].blank += int32(n)
	c.blank += n
	c.free += n
}

// push puts a segment that nobody holds any more at the end of the queue.
func (c *Cache) push(at int32) {
	if c.order != LRU {
		c.pushRanked(at)
		return
	}
	s := &c.segments.all[at]
	c.free += int(s.len())
	if last := c.queue.last; last != none && last == s.next && c.queue.blank == 0 && !c.stretches.all[s.stretch].copied {
		c.join(at, last)
		return
	}
	s.blank, c.queue.blank = int32(c.queue.blank), 0
	s.before, s.after = c.queue.last, none
	if c.queue.last == none {
		c.queue.first = at
	} else {
		c.segments.all[c.queue.last].after = at
	}
	c.queue.last = at
}

// join makes one of a segment that is freed and the one that follows it in its
// text, which would be right before it in the queue and goes first.
func (c *Cache) join(at, next int32) {
	s, t := &c.segments.all[at], &c.segments.all[next]
	s.to = t.to
	s.blank, s.before, s.after = t.blank, t.before, t.after
	c.enqueue(at)
	c.detach(next)
	c.segments.release(next)
}

// enqueue makes a segment known to its neighbours in the queue.
func (c *Cache) enqueue(at int32) {
	s := &c.segments.all[at]
	if s.before == none {
		c.queue.first = at
	} else {
		c.segments.all[s.before].after = at
	}
	if s.after == none {
		c.queue.last = at
	} else {
		c.segments.all[s.after].before = at
	}
}

// unlink takes a segment out of the queue. The blanks before it stay where
// they were.
func (c *Cache) unlink(at int32) {
	if c.order != LRU {
		c.leaveLevel(at)
	}
	s := &c.segments.all[at]
	if s.before == none {
		c.queue.first = s.after
	} else {
		c.segments.all[s.before].after = s.after
	}
	if s.after == none {
		c.queue.last = s.before
		c.queue.blank += int(s.blank)
	} else {
		after := &c.segments.all[s.after]
		after.before = s.before
		after.blank += s.blank
	}
	s.blank = 0
	c.free -= int(s.len())
}

// take takes n blocks from the front of the queue. What they held is gone.
func (c *Cache) take(n int) {
	if n > c.free {
		panic("kv: more blocks wanted than are free")
	}
	c.free -= n
	if c.order != LRU {
		n -= c.takeBlank(n)
	}
	for n > 0 {
		at := c.queue.first
		if at == none {
			c.takeBlank(n)
			return
		}
		s := &c.segments.all[at]
		blank := min(n, int(s.blank))
		s.blank -= int32(blank)
		c.blank -= blank
		n -= blank
		if n == 0 {
			return
		}
		evicted := min(n, int(s.len()))
		n -= evicted
		c.evict(at, int32(evicted))
	}
}

// takeBlank takes up to n of the blocks without content that the queue itself
// counts.
func (c *Cache) takeBlank(n int) int {
	n = min(n, c.queue.blank)
	c.queue.blank -= n
	c.blank -= n
	return n
}

// evict forgets the last n blocks of the segment at the front of the queue.
func (c *Cache) evict(at, n int32) {
	if last := c.spills.last; last != none {
		c.forgetSpilled(last)
	}
	c.evictions += int64(n)
	s := &c.segments.all[at]
	owner := s.stretch
	if c.watched {
		c.evicted = append(c.evicted, Span{c.stretches.all[owner].id, s.to, s.to - n})
	}
	s.to -= n
	if s.len() == 0 {
		c.unlink(at)
		c.detach(at)
		c.segments.release(at)
	}
	c.shrunk(owner)
}
