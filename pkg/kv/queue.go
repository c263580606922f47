// SPDX-License-Identifier: Apache-2.0

package kv

// The free queue is a ring through the blocks that nobody holds, from the one
// to be reused first to the one freed last. The entry after the last block
// closes the ring.

func (c *Cache) end() int32 { return int32(len(c.blocks) - 1) }

// fillQueue puts all blocks into the queue in order of their numbers.
func (c *Cache) fillQueue() {
	end := c.end()
	for b := range end + 1 {
		c.blocks[b].next, c.blocks[b].previous = b+1, b-1
	}
	c.blocks[end].next, c.blocks[0].previous = 0, end
	c.free = int(end)
}

// unlink takes a block out of the queue.
func (c *Cache) unlink(b int32) {
	before, after := c.blocks[b].previous, c.blocks[b].next
	c.blocks[before].next, c.blocks[after].previous = after, before
	c.free--
}

// pushBack puts a block at the end of the queue.
func (c *Cache) pushBack(b int32) {
	end := c.end()
	last := c.blocks[end].previous
	c.blocks[last].next, c.blocks[b].previous = b, last
	c.blocks[b].next, c.blocks[end].previous = end, b
	c.free++
}

// popFront takes the first n blocks out of the queue and appends them to dst.
func (c *Cache) popFront(dst []int32, n int) []int32 {
	if n > c.free {
		panic("kv: more blocks wanted than are free")
	}
	end := c.end()
	b := c.blocks[end].next
	for range n {
		dst = append(dst, b)
		b = c.blocks[b].next
	}
	c.blocks[end].next, c.blocks[b].previous = b, end
	c.free -= n
	return dst
}
