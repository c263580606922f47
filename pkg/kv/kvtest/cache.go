// SPDX-License-Identifier: Apache-2.0

// Package kvtest has a block cache for tests to hold others against: one block
// after the other, looked up in slices and maps, with no thought for speed. It
// is vLLM V1's block pool as one would tell it.
package kvtest

import "slices"

// Cache is a block pool. Blocks are numbered from 0.
type Cache struct {
	blockTokens int
	caching     bool
	references  []int
	identity    map[int]uint64   // of the blocks that have one
	holders     map[uint64][]int // of an identity, the one named first in front
	free        []int            // the one to be reused first in front
	Evictions   int64
}

// Sequence is the blocks of a running sequence, in the order of its tokens.
type Sequence struct {
	Blocks   []int
	chain    []uint64
	named    int
	tokens   int
	withheld bool
}

// New returns an empty cache.
func New(blocks, blockTokens int, prefixCaching bool) *Cache {
	c := &Cache{
		blockTokens: blockTokens, caching: prefixCaching,
		references: make([]int, blocks), identity: map[int]uint64{}, holders: map[uint64][]int{},
	}
	for b := range blocks {
		c.free = append(c.free, b)
	}
	return c
}

// Used returns how many blocks sequences hold.
func (c *Cache) Used() int { return len(c.references) - len(c.free) }

// Match returns how many leading tokens of a chain of block identities are
// cached, in whole blocks and at most maxTokens.
func (c *Cache) Match(chain []uint64, maxTokens int) int {
	return len(c.match(chain, maxTokens/c.blockTokens)) * c.blockTokens
}

func (c *Cache) match(chain []uint64, limit int) []int {
	var blocks []int
	for _, identity := range chain {
		if !c.caching || len(blocks) >= limit || len(c.holders[identity]) == 0 {
			break
		}
		blocks = append(blocks, c.holders[identity][0])
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
	if c.blocks(max(a.Tokens, a.Reserve))-len(hits) > len(c.free)-idle {
		return nil, false
	}
	s := &Sequence{chain: a.Chain, named: len(hits), withheld: a.Withheld}
	for _, b := range hits {
		if c.references[b] == 0 {
			c.free = slices.DeleteFunc(c.free, func(f int) bool { return f == b })
		}
		c.references[b]++
		s.Blocks = append(s.Blocks, b)
	}
	c.Extend(s, a.Tokens)
	return s, true
}

// Extend gives a sequence room for tokens, or changes nothing and returns
// false.
func (c *Cache) Extend(s *Sequence, tokens int) bool {
	fresh := c.blocks(tokens) - len(s.Blocks)
	if fresh > len(c.free) {
		return false
	}
	for range fresh {
		b := c.free[0]
		c.free = c.free[1:]
		c.forget(b)
		c.references[b] = 1
		s.Blocks = append(s.Blocks, b)
	}
	s.tokens = tokens
	c.name(s)
	return true
}

// Publish lets the blocks of a sequence be found that were withheld.
func (c *Cache) Publish(s *Sequence) {
	s.withheld = false
	c.name(s)
}

func (c *Cache) name(s *Sequence) {
	for ; c.caching && !s.withheld && s.named < min(s.tokens/c.blockTokens, len(s.chain)); s.named++ {
		b, identity := s.Blocks[s.named], s.chain[s.named]
		c.identity[b] = identity
		c.holders[identity] = append(c.holders[identity], b)
	}
}

// forget takes a block's identity away.
func (c *Cache) forget(b int) {
	identity, ok := c.identity[b]
	if !ok {
		return
	}
	c.Evictions++
	delete(c.identity, b)
	c.holders[identity] = slices.DeleteFunc(c.holders[identity], func(h int) bool { return h == b })
	if len(c.holders[identity]) == 0 {
		delete(c.holders, identity)
	}
}

// Release frees a sequence's blocks, last one first.
func (c *Cache) Release(s *Sequence) {
	for _, b := range slices.Backward(s.Blocks) {
		if c.references[b]--; c.references[b] == 0 {
			c.free = append(c.free, b)
		}
	}
	*s = Sequence{}
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
