// SPDX-License-Identifier: Apache-2.0

package kv

// RecordEvictions begins to note which blocks lose their content to make room.
// Somebody has to ask for them, with Evicted, time and again.
func (c *Cache) RecordEvictions() { c.watched = true }

// HasEvicted says whether Evicted has something to tell.
func (c *Cache) HasEvicted() bool { return len(c.evicted) > 0 }

// TakeEvicted appends to dst the blocks that have lost their content to make room
// since it was last called, in that order.
func (c *Cache) TakeEvicted(dst []Span) []Span {
	dst = append(dst, c.evicted...)
	c.evicted = c.evicted[:0]
	return dst
}

// A EventListener is told what can be found in a Cache or a Store, and what no longer
// can. Blocks are those [from, to) of the stretch of that identity.
type EventListener interface {
	// Found says that blocks can be found that could not.
	BlocksStored(id uint64, from, to int32)
	// Lost says that blocks can no longer be found.
	BlocksRemoved(id uint64, from, to int32)
}

// SetListener lets somebody be told from now on. The cache must be empty. Each block
// is told of at the call that lets it be found or not, those that sequences in
// decode fill at Step.
func (c *Cache) SetListener(w EventListener) {
	if c.stretches.len() > 0 {
		panic("kv: a cache is watched that is not empty")
	}
	c.watcher = w
	c.growth.filling = make([][]int32, c.blockTokens)
}

// SetListener lets somebody be told from now on. The store must be empty.
func (s *Tier) SetListener(w EventListener) {
	if s.Used() > 0 {
		panic("kv: a store is watched that is not empty")
	}
	s.watcher = w
}
