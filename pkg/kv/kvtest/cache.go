// SPDX-License-Identifier: Apache-2.0

// Package kvtest has a simple KV cache, with which tests compare package kv. It
// follows vLLM V1's block pool block by block with slices and maps, and is slow.
package kvtest

import (
	"math"
	"slices"
)

// Cache is a block pool. Blocks are numbered from 0.
type Cache struct {
	blockTokens int
	caching     bool
	order       Order
	references  []int
	identity    map[int]uint64   // of the blocks that have one
	rank        map[int]int      // of those too
	blocksWith  map[uint64][]int // of an identity, the one registered first in front
	prefixOf    map[uint64]uint64
	free        []int // the one to be reused first in front
	Evictions   int64
	// Evicted is the blocks that have lost their identity to make room, in
	// that order.
	Evicted []uint64
	// Changes is what could be found that could not before, and what no longer
	// can, in that order.
	Changes []Change
	// Groups of layers with windows hold the last WindowBlocks blocks of each sequence.
	Groups, WindowBlocks int
}

// Change is a block that can be found from now on, or no longer.
type Change struct {
	Identity uint64
	Stored   bool
}

// Sequence is the blocks of a running sequence, in the order of its tokens.
type Sequence struct {
	Blocks []int
	// windows is the blocks of each group, the oldest in front.
	windows    [][]int
	chain      []uint64
	registered int
	tokens     int
	withheld   bool
	priority   int
}

// NewCache returns an empty cache.
func NewCache(blocks, blockTokens int, prefixCaching bool, order Order) *Cache {
	c := &Cache{
		blockTokens: blockTokens, caching: prefixCaching, order: order,
		references: make([]int, blocks), identity: map[int]uint64{}, rank: map[int]int{},
		blocksWith: map[uint64][]int{}, prefixOf: map[uint64]uint64{},
	}
	for b := range blocks {
		c.free = append(c.free, b)
	}
	return c
}

// Used returns how many blocks sequences hold.
func (c *Cache) Used() int { return len(c.references) - len(c.free) }

// Blank returns how many free blocks have no identity.
func (c *Cache) Blank() int {
	blank := 0
	for _, id := range c.Free() {
		if id == 0 {
			blank++
		}
	}
	return blank
}

// Has says that a block can be found.
func (c *Cache) Has(identity uint64) bool { return len(c.blocksWith[identity]) > 0 }

// Match returns how many leading tokens of a chain of block identities are
// cached, in whole blocks and at most maxTokens.
func (c *Cache) Match(chain []uint64, maxTokens int) int {
	return len(c.match(chain, maxTokens/c.blockTokens)) * c.blockTokens
}

func (c *Cache) match(chain []uint64, limit int) []int {
	var blocks []int
	for _, identity := range chain {
		if !c.caching || len(blocks) >= limit || len(c.blocksWith[identity]) == 0 {
			break
		}
		blocks = append(blocks, c.blocksWith[identity][0])
	}
	return blocks
}

// Admission is what a new sequence wants, as kv.Admission has it.
type Admission struct {
	Chain                   []uint64
	Cached, Tokens, Reserve int
	Withheld                bool
	Priority                int
}

// Admit starts a sequence with its first cached tokens from the cache and room
// for tokens, if there is room for reserve of them too.
func (c *Cache) Admit(a Admission) (*Sequence, bool) {
	hits := c.match(a.Chain, a.Cached/c.blockTokens)
	idle := 0
	for _, b := range hits {
		if c.references[b] == 0 {
			idle++
		}
	}
	blocks := c.blocks(max(a.Tokens, a.Reserve))
	if blocks-len(hits)+c.Groups*min(blocks, c.WindowBlocks) > len(c.free)-idle {
		return nil, false
	}
	s := &Sequence{chain: a.Chain, registered: len(hits), withheld: a.Withheld, priority: a.Priority, windows: make([][]int, c.Groups)}
	for _, b := range hits {
		if c.references[b] == 0 {
			c.free = remove(c.free, b)
		}
		c.references[b]++
		c.rank[b] = c.order.nextRank(c.rank[b], a.Priority)
		s.Blocks = append(s.Blocks, b)
	}
	c.Extend(s, a.Tokens)
	return s, true
}

// Extend gives a sequence room for tokens, or changes nothing and returns
// false.
func (c *Cache) Extend(s *Sequence, tokens int) bool { return c.ExtendPast(s, tokens, tokens) }

// ExtendPast gives a sequence room for tokens beyond its content, or changes nothing and
// returns false. Only full blocks of content can be found.
func (c *Cache) ExtendPast(s *Sequence, content, room int) bool {
	blocks := c.blocks(room)
	fresh := blocks - len(s.Blocks)
	grown := 0
	if c.Groups > 0 && fresh > 0 {
		grown = min(blocks, c.WindowBlocks) - len(s.windows[0])
	}
	if fresh+c.Groups*grown > len(c.free) {
		return false
	}
	for range fresh {
		s.Blocks = append(s.Blocks, c.take())
	}
	for g := range s.windows {
		for range grown {
			s.windows[g] = append(s.windows[g], c.take())
		}
	}
	for range fresh - grown {
		c.slide(s)
	}
	s.tokens = content
	c.registerFull(s)
	return true
}

// take takes the block that is reused first.
func (c *Cache) take() int {
	b := c.free[0]
	c.free = c.free[1:]
	c.evict(b)
	c.references[b] = 1
	return b
}

// slide has each group give up the oldest block of its window for a new one.
func (c *Cache) slide(s *Sequence) {
	for g, window := range s.windows {
		c.references[window[0]] = 0
		c.push(window[0])
		s.windows[g] = append(window[1:], c.take())
	}
}

// Publish lets the blocks of a sequence be found that were withheld.
func (c *Cache) Publish(s *Sequence) {
	s.withheld = false
	c.registerFull(s)
}

func (c *Cache) registerFull(s *Sequence) {
	for ; c.caching && !s.withheld && s.registered < min(s.tokens/c.blockTokens, len(s.chain)); s.registered++ {
		b, identity := s.Blocks[s.registered], s.chain[s.registered]
		c.identity[b] = identity
		if len(c.blocksWith[identity]) == 0 {
			c.Changes = append(c.Changes, Change{identity, true})
		}
		c.blocksWith[identity] = append(c.blocksWith[identity], b)
		c.rank[b] = c.order.firstRank(s.priority)
		if s.registered > 0 {
			c.prefixOf[identity] = s.chain[s.registered-1]
		}
	}
}

// evict takes a block's identity away to make room, if it has one.
func (c *Cache) evict(b int) {
	identity, ok := c.identity[b]
	if !ok {
		return
	}
	c.Evictions++
	c.Evicted = append(c.Evicted, identity)
	c.forget(b)
}

// forget takes a block's identity away.
func (c *Cache) forget(b int) {
	identity := c.identity[b]
	delete(c.identity, b)
	delete(c.rank, b)
	c.blocksWith[identity] = remove(c.blocksWith[identity], b)
	if len(c.blocksWith[identity]) == 0 {
		delete(c.blocksWith, identity)
		c.Changes = append(c.Changes, Change{identity, false})
	}
}

func remove(blocks []int, b int) []int {
	return slices.DeleteFunc(blocks, func(other int) bool { return other == b })
}

// Release frees a sequence's blocks, last one first. None goes before one that
// comes after it in the text.
func (c *Cache) Release(s *Sequence) {
	for _, b := range slices.Concat(s.windows...) {
		c.references[b] = 0
		c.push(b)
	}
	least := math.MinInt
	for _, b := range slices.Backward(s.Blocks) {
		if _, ok := c.identity[b]; ok {
			least = max(least, c.rank[b])
			c.rank[b] = least
		}
		if c.references[b]--; c.references[b] == 0 {
			c.push(b)
		}
	}
	*s = Sequence{}
}

// push puts a block at its place among the free ones: the end, or where the
// cache has ranks, behind all that do not exceed its own, if it has one.
func (c *Cache) push(b int) {
	if c.order == LRU {
		c.free = append(c.free, b)
		return
	}
	behind := 0
	if _, ok := c.identity[b]; ok {
		for behind < len(c.free) && (c.identity[c.free[behind]] == 0 || c.rank[c.free[behind]] <= c.rank[b]) {
			behind++
		}
	}
	c.free = slices.Insert(c.free, behind, b)
}

// Discard drops the content of a sequence's last blocks and releases it. It
// stops at one that another sequence holds or that a block follows.
func (c *Cache) Discard(s *Sequence) {
	for i := s.registered - 1; i >= 0; i-- {
		b := s.Blocks[i]
		if c.references[b] > 1 || c.hasCachedSuccessor(c.identity[b]) {
			break
		}
		c.forget(b)
		s.Blocks = slices.Delete(s.Blocks, i, i+1)
		c.references[b] = 0
		c.free = slices.Insert(c.free, 0, b)
	}
	c.Release(s)
}

// hasCachedSuccessor says that a block can be found whose text goes on from an identity.
func (c *Cache) hasCachedSuccessor(identity uint64) bool {
	for next := range c.blocksWith {
		if c.prefixOf[next] == identity {
			return true
		}
	}
	return false
}

// NextEvicted returns the identities of the first n free blocks that have one, in the
// order in which they will be reused.
func (c *Cache) NextEvicted(n int) []uint64 {
	ids := []uint64{}
	for _, id := range c.Free() {
		if id != 0 && len(ids) < n {
			ids = append(ids, id)
		}
	}
	return ids
}

// Free returns the identities of the free blocks in the order in which they
// will be reused; 0 stands for a block without one.
func (c *Cache) Free() []uint64 {
	ids := []uint64{}
	for _, b := range c.free {
		ids = append(ids, c.identity[b])
	}
	return ids
}

func (c *Cache) blocks(tokens int) int { return (tokens + c.blockTokens - 1) / c.blockTokens }
