// SPDX-License-Identifier: Apache-2.0

package kv

import "fmt"

// Cache is the block pool of one replica. It is not safe for concurrent use.
//
// A block is held by the sequences that refer to it, or free. Free blocks form
// a queue; a new block is taken from its front, and only then loses its
// identity. A sequence's blocks are freed last block first, so that the ends of
// prompts are reused before the beginnings that others may share.
//
// One block at a time carries an identity: where two sequences compute the same
// block side by side, the first one's can be found, and the second one's
// cannot, not even after the first one is gone. (vLLM keeps both and finds
// either; which one matters only when the first is evicted and the second not.)
type Cache struct {
	blockTokens int
	caching     bool

	blocks    []block // the last one is no block but both ends of the free queue
	free      int
	index     index
	evictions int64
}

// block is kept small and in one piece: what costs time is fetching it.
type block struct {
	next, previous int32 // in the free queue, while references is 0
	references     int32
	named          bool // it can be found under its identity
	identity       uint64
}

// maxBlocks keeps slots of the index and links of the queue within 32 bits.
const maxBlocks = 1 << 30

// New returns an empty cache of blocks blocks, at most 2^30, of blockTokens
// tokens each. Without prefix caching the content of freed blocks is forgotten
// at once.
func New(blocks, blockTokens int, prefixCaching bool) *Cache {
	if blocks < 1 || blocks > maxBlocks || blockTokens < 1 {
		panic(fmt.Sprintf("kv: a cache of %d blocks of %d tokens", blocks, blockTokens))
	}
	c := &Cache{
		blockTokens: blockTokens,
		caching:     prefixCaching,
		blocks:      make([]block, blocks+1),
	}
	if prefixCaching {
		c.index = newIndex(blocks)
	}
	c.fillQueue()
	return c
}

// Blocks returns the number of blocks.
func (c *Cache) Blocks() int { return len(c.blocks) - 1 }

// BlockTokens returns the size of a block in tokens.
func (c *Cache) BlockTokens() int { return c.blockTokens }

// Used returns the number of blocks that running sequences hold.
func (c *Cache) Used() int { return c.Blocks() - c.free }

// Usage returns the share of blocks that running sequences hold, 0 to 1.
func (c *Cache) Usage() float64 { return float64(c.Used()) / float64(c.Blocks()) }

// Evictions returns how many blocks that could be found have lost their
// content to make room.
func (c *Cache) Evictions() int64 { return c.evictions }

// Match returns how many leading tokens of a prompt are cached, in whole
// blocks and at most maxTokens. chain holds the identities of its full blocks,
// all different. It changes nothing: looking does not refresh a block.
func (c *Cache) Match(chain []uint64, maxTokens int) int {
	chain = c.reusable(chain, maxTokens)
	for i, identity := range chain {
		if _, ok := c.find(identity); !ok {
			return i * c.blockTokens
		}
	}
	return len(chain) * c.blockTokens
}

// reusable returns the part of a chain that the cache may answer for.
func (c *Cache) reusable(chain []uint64, maxTokens int) []uint64 {
	if !c.caching || maxTokens < c.blockTokens {
		return nil
	}
	return chain[:min(len(chain), maxTokens/c.blockTokens)]
}
