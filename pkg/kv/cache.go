// SPDX-License-Identifier: Apache-2.0

package kv

import "windtunnel.dev/windtunnel/internal/hashindex"

// Cache is the block pool of one replica. It is not safe for concurrent use.
//
// A block is held by the sequences that refer to it, or free. Free blocks form
// a queue; a new block is taken from its front, and only then loses its
// identity. A sequence's blocks are freed last block first, so that the ends of
// prompts are reused before the beginnings that others may share.
//
// One block at a time carries an identity: where two sequences compute the same
// block side by side, the first one's can be found and the second one's cannot.
type Cache struct {
	blockTokens int
	caching     bool

	free       queue
	references []int32  // by block
	identities []uint64 // by block; meaningful where named
	named      []bool   // by block: it can be found under its identity
	index      *hashindex.Table
	evictions  int64
}

// Allocation is the blocks of one running sequence, in the order of its
// tokens. The zero value holds none; after Release it may be used again.
type Allocation struct {
	blocks []int32
	// settled is how many leading blocks are full and have had their chance
	// to be named.
	settled int
}

// Blocks returns how many blocks the sequence holds.
func (a *Allocation) Blocks() int { return len(a.blocks) }

// New returns an empty cache. Both sizes must be at least 1. Without prefix
// caching freed blocks are forgotten at once.
func New(blocks, blockTokens int, prefixCaching bool) *Cache {
	if blocks < 1 || blockTokens < 1 {
		panic("kv: a cache needs at least one block of at least one token")
	}
	return &Cache{
		blockTokens: blockTokens,
		caching:     prefixCaching,
		free:        newQueue(blocks),
		references:  make([]int32, blocks),
		identities:  make([]uint64, blocks),
		named:       make([]bool, blocks),
		index:       hashindex.New(blocks),
	}
}

// Blocks returns the number of blocks.
func (c *Cache) Blocks() int { return len(c.references) }

// BlockTokens returns the size of a block in tokens.
func (c *Cache) BlockTokens() int { return c.blockTokens }

// Used returns the number of blocks that running sequences hold.
func (c *Cache) Used() int { return c.Blocks() - c.free.len }

// Usage returns the share of blocks that running sequences hold, 0 to 1.
func (c *Cache) Usage() float64 { return float64(c.Used()) / float64(c.Blocks()) }

// Evictions returns how many cached blocks have lost their content to make
// room.
func (c *Cache) Evictions() int64 { return c.evictions }

// Match returns how many leading tokens of a prompt are cached, in whole
// blocks and at most maxTokens. chain holds the identities of its full blocks.
// It changes nothing: looking does not refresh a block.
func (c *Cache) Match(chain []uint64, maxTokens int) int {
	return c.match(chain, maxTokens) * c.blockTokens
}

func (c *Cache) match(chain []uint64, maxTokens int) int {
	if !c.caching {
		return 0
	}
	most := min(len(chain), maxTokens/c.blockTokens)
	for i := range most {
		if _, ok := c.index.Find(chain[i]); !ok {
			return i
		}
	}
	return most
}

// Extend gives the sequence room for its first tokens tokens, or changes
// nothing and returns false where there are not enough free blocks. An empty
// allocation first takes over the blocks that Match finds for tokens-1: the
// last token is always computed. chain holds the identities of the sequence's
// full blocks as far as they are known; blocks that tokens fills can be found
// by others at once, as in vLLM, whose scheduler names them before they are
// computed.
func (c *Cache) Extend(a *Allocation, chain []uint64, tokens int) bool {
	hits := 0
	if len(a.blocks) == 0 {
		hits = c.match(chain, tokens-1)
	}
	wanted := (tokens + c.blockTokens - 1) / c.blockTokens
	fresh := wanted - len(a.blocks) - hits
	if fresh > c.free.len-c.freeAmong(chain[:hits]) {
		return false
	}
	for _, identity := range chain[:hits] {
		block, _ := c.index.Find(identity)
		c.hold(block)
		a.blocks = append(a.blocks, block)
	}
	a.settled += hits
	for range max(fresh, 0) {
		a.blocks = append(a.blocks, c.take())
	}
	c.settle(a, chain, tokens)
	return true
}

// freeAmong counts the blocks of a matched chain that no sequence holds.
func (c *Cache) freeAmong(chain []uint64) int {
	n := 0
	for _, identity := range chain {
		if block, _ := c.index.Find(identity); c.references[block] == 0 {
			n++
		}
	}
	return n
}

func (c *Cache) hold(block int32) {
	if c.references[block] == 0 {
		c.free.remove(block)
	}
	c.references[block]++
}

// take returns the block at the front of the free queue, without its identity.
func (c *Cache) take() int32 {
	block := c.free.front()
	c.free.remove(block)
	if c.named[block] {
		c.index.Remove(c.identities[block])
		c.named[block] = false
		c.evictions++
	}
	c.references[block] = 1
	return block
}

// settle names the blocks that tokens fills.
func (c *Cache) settle(a *Allocation, chain []uint64, tokens int) {
	if !c.caching {
		return
	}
	full := min(tokens/c.blockTokens, len(chain))
	for ; a.settled < full; a.settled++ {
		block, identity := a.blocks[a.settled], chain[a.settled]
		if c.index.Insert(identity, block) {
			c.identities[block], c.named[block] = identity, true
		}
	}
}

// Release frees the sequence's blocks, last one first.
func (c *Cache) Release(a *Allocation) {
	for i := len(a.blocks) - 1; i >= 0; i-- {
		block := a.blocks[i]
		c.references[block]--
		if c.references[block] == 0 {
			c.free.push(block)
		}
	}
	a.blocks, a.settled = a.blocks[:0], 0
}
