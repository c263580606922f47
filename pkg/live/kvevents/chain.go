// SPDX-License-Identifier: Apache-2.0

package kvevents

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/live/replicas"
)

// chain knows the digests of the blocks that a replica holds, by their hashes in [replicas.BlockEvent]. It
// remembers some that it holds no longer, as blocks behind them may be stored again.
type chain struct {
	blocks map[uint64]*block
	// gone are the removed blocks, the oldest first; one that was stored again since is among them still.
	gone []uint64
	most int
}

type block struct {
	digest digest
	// copies is in how many tiers the block is.
	copies int
}

// rememberedBlocks is how many removed blocks a chain remembers.
const rememberedBlocks = 1 << 16

func newChain() *chain { return &chain{blocks: map[uint64]*block{}, most: rememberedBlocks} }

// store returns the digest of a block that is stored, and that of the block before it.
func (c *chain) store(e replicas.BlockEvent) (own, parent digest, err error) {
	parent = noParent
	if e.Parent != 0 {
		before := c.blocks[e.Parent]
		if before == nil {
			return own, parent, fmt.Errorf("replica %d stores a block at %v behind one that is not known", e.Replica, e.At)
		}
		parent = before.digest
	}
	b := c.blocks[e.Hash]
	if b == nil {
		b = &block{digest: parent.next(e.Tokens, e.Adapter)}
		c.blocks[e.Hash] = b
	}
	b.copies++
	return b.digest, parent, nil
}

// remove returns the digest of a block that is removed.
func (c *chain) remove(e replicas.BlockEvent) (digest, error) {
	b := c.blocks[e.Hash]
	if b == nil || b.copies == 0 {
		return digest{}, fmt.Errorf("replica %d removes a block at %v that it does not hold", e.Replica, e.At)
	}
	if b.copies--; b.copies == 0 {
		c.gone = append(c.gone, e.Hash)
	}
	for len(c.gone) > c.most {
		if b := c.blocks[c.gone[0]]; b != nil && b.copies == 0 {
			delete(c.blocks, c.gone[0])
		}
		c.gone = c.gone[1:]
	}
	return b.digest, nil
}

// clear notes that the replica holds nothing.
func (c *chain) clear() { c.blocks, c.gone = map[uint64]*block{}, nil }
