// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"fmt"
	"math"

	"windtunnel.dev/windtunnel/pkg/prompt"
)

// Cache is the block pool of one replica. It is not safe for concurrent use.
//
// A block is held by the sequences that refer to it, or free. Free blocks form
// a queue; a new block is taken from its front, and only then loses its
// content. A sequence's blocks are freed last block first, so that the ends of
// prompts are reused before the beginnings that others may share. As every
// block is freed before those in front of it in its prompt, a block that can be
// found can be reached: its whole prefix is there too.
//
// Where two sequences compute the same block side by side both copies can be
// found, the older one first.
type Cache struct {
	blockTokens int
	blocks      int
	caching     bool

	order Order
	free  int
	// blank is how many of the free blocks have no content.
	blank int
	// shared is how many blocks several sequences hold.
	shared int
	queue  queue
	// Unless the order is LRU: the levels of the queue, and of each segment
	// what the queue goes by before age.
	levels    levels
	ranks     []int64
	evictions int64
	spills    spills
	watched   bool
	evicted   []Span
	watcher   EventListener // nil if nobody is told
	// named numbers the segments in the order in which they were named.
	named int64

	index     index
	stretches pool[stretch]
	families  []family // by stretch, or nil as long as nobody needs them
	segments  pool[segment]
	sequences pool[sequence]
	admitted  int64

	growth growth

	// path is the stretches that the last Match found, and absent where in the
	// chain those begin of which it knows that they are not there.
	path    []int32
	absent  int32
	scratch []hold
}

// none is no index, unknown an index beyond all.
const (
	none    = -1
	unknown = math.MaxInt32
)

// maxBlocks keeps counts of blocks and of tokens within the integers that
// carry them.
const maxBlocks = 1 << 30

// NewCache returns an empty cache of blocks blocks, at most 2^30, of blockTokens
// tokens each, in which free blocks are reused in some order. Without prefix
// caching the content of freed blocks is forgotten at once.
func NewCache(blocks, blockTokens int, prefixCaching bool, order Order) *Cache {
	if blocks < 1 || blocks > maxBlocks || blockTokens < 1 {
		panic(fmt.Sprintf("kv: a cache of %d blocks of %d tokens", blocks, blockTokens))
	}
	return &Cache{
		blockTokens: blockTokens,
		blocks:      blocks,
		caching:     prefixCaching,
		order:       order,
		free:        blocks,
		blank:       blocks,
		queue:       queue{first: none, last: none, blank: blocks},
		spills:      spills{first: none, last: none},
		growth:      growth{opening: make([]int32, blockTokens)},
	}
}

// Blocks returns the number of blocks.
func (c *Cache) Blocks() int { return c.blocks }

// BlockTokens returns the size of a block in tokens.
func (c *Cache) BlockTokens() int { return c.blockTokens }

// Free returns the number of blocks that a sequence may take: no running one
// holds them, and no spill.
func (c *Cache) Free() int { return c.free }

// Blank returns how many of the free blocks have no content.
func (c *Cache) Blank() int { return c.blank }

// Used returns the number of blocks that running sequences hold.
func (c *Cache) Used() int { return c.blocks - c.free - c.spills.blocks }

// Usage returns the share of blocks that running sequences hold, 0 to 1.
func (c *Cache) Usage() float64 { return float64(c.Used()) / float64(c.blocks) }

// Evictions returns how many blocks that could be found have lost their
// content to make room.
func (c *Cache) Evictions() int64 { return c.evictions }

// blocksOf returns how many blocks a number of tokens takes.
func (c *Cache) blocksOf(tokens int) int { return (tokens + c.blockTokens - 1) / c.blockTokens }

// Match returns how many leading tokens of a prompt are cached, in whole
// blocks and at most maxTokens. chain is the prompt's full blocks. Looking does
// not refresh a block.
func (c *Cache) Match(chain []prompt.Stretch, maxTokens int) int {
	c.path, c.absent = c.path[:0], unknown
	if !c.caching {
		return 0
	}
	limit := maxTokens / c.blockTokens
	matched := 0
	parent := int32(none)
	for i := range chain {
		if matched >= limit {
			break
		}
		at := c.find(parent, chain[i].ID)
		if at != none {
			c.disturb(at)
		}
		if at == none || c.closeIfEmpty(at) {
			c.absent = int32(i)
			break
		}
		c.path = append(c.path, at)
		want := min(int(chain[i].Blocks), limit-matched)
		there := int(c.stretches.all[at].end)
		if there < want {
			matched += there
			c.absent = int32(i + 1)
			break
		}
		matched += want
		parent = at
	}
	return matched * c.blockTokens
}
