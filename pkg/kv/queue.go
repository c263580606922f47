// SPDX-License-Identifier: Apache-2.0

package kv

// queue is the free blocks in the order in which they are to be reused: a list
// of segments, each of which goes from its last block to its first. Blocks
// without content lie between them and are only counted: a segment's blank is
// how many come right before it, and the queue's how many come after all.
type queue struct {
	first, last int32
	blank       int
}

// pushBlank puts n blocks without content at the end of the queue.
func (c *Cache) pushBlank(n int) {
	c.queue.blank += n
	c.free += n
}

// push puts a segment that nobody holds any more at the end of the queue.
func (c *Cache) push(at int32) {
	s := &c.segments.all[at]
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
	c.free += int(s.len())
}

// join makes one of a segment that is freed and the one that follows it in its
// text, which is the last of the queue and goes first.
func (c *Cache) join(at, next int32) {
	s, t := &c.segments.all[at], &c.segments.all[next]
	c.free += int(s.len())
	s.to = t.to
	s.blank, s.before, s.after = t.blank, t.before, none
	if s.before == none {
		c.queue.first = at
	} else {
		c.segments.all[s.before].after = at
	}
	c.queue.last = at
	c.detach(next)
	c.segments.release(next)
}

// unlink takes a segment out of the queue. The blanks before it stay where
// they were.
func (c *Cache) unlink(at int32) {
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
	for n > 0 {
		at := c.queue.first
		if at == none {
			c.queue.blank -= n
			return
		}
		s := &c.segments.all[at]
		blank := min(n, int(s.blank))
		s.blank -= int32(blank)
		n -= blank
		if n == 0 {
			return
		}
		evicted := min(n, int(s.len()))
		n -= evicted
		c.evict(at, int32(evicted))
	}
}

// evict forgets the last n blocks of the segment at the front of the queue.
func (c *Cache) evict(at, n int32) {
	c.evictions += int64(n)
	s := &c.segments.all[at]
	s.to -= n
	owner := s.stretch
	if s.len() == 0 {
		c.unlink(at)
		c.detach(at)
		c.segments.release(at)
	}
	c.shrunk(owner)
}
