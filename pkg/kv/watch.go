// SPDX-License-Identifier: Apache-2.0

package kv

// WatchEvictions begins to note which blocks lose their content to make room.
// Somebody has to ask for them, with Evicted, time and again.
func (c *Cache) WatchEvictions() { c.watched = true }

// HasEvicted says whether Evicted has something to tell.
func (c *Cache) HasEvicted() bool { return len(c.evicted) > 0 }

// Evicted appends to dst the blocks that have lost their content to make room
// since it was last called, in that order.
func (c *Cache) Evicted(dst []Span) []Span {
	dst = append(dst, c.evicted...)
	c.evicted = c.evicted[:0]
	return dst
}
