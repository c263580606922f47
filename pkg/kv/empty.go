// SPDX-License-Identifier: Apache-2.0

package kv

// EvictFree makes up to n free blocks forget their content, those that would be
// reused first, and returns how many did. They keep their place in the queue.
func (c *Cache) EvictFree(n int) int {
	emptied := 0
	for emptied < n && c.queue.first != none {
		at := c.queue.first
		s := &c.segments.all[at]
		forgotten := min(n-emptied, int(s.len()))
		if c.order == LRU {
			s.blank += int32(forgotten)
		} else {
			c.queue.blank += forgotten
		}
		c.blank += forgotten
		c.evict(at, int32(forgotten))
		emptied += forgotten
	}
	return emptied
}
