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

// A Watcher is told what can be found in a Cache or a Store, and what no longer
// can. Blocks are those [from, to) of the stretch of that identity.
type Watcher interface {
	// Found says that blocks can be found that could not.
	Found(id uint64, from, to int32)
	// Lost says that blocks can no longer be found.
	Lost(id uint64, from, to int32)
}

// Watch lets somebody be told from now on. The cache must be empty. Each block
// is told of at the call that lets it be found or not, those that sequences in
// decode fill at Step.
func (c *Cache) Watch(w Watcher) {
	if c.stretches.len() > 0 {
		panic("kv: a cache is watched that is not empty")
	}
	c.watcher = w
	c.growth.filling = make([][]int32, c.blockTokens)
}

// Watch lets somebody be told from now on. The store must be empty.
func (s *Store) Watch(w Watcher) {
	if s.Used() > 0 {
		panic("kv: a store is watched that is not empty")
	}
	s.watcher = w
}
