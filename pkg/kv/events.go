// SPDX-License-Identifier: Apache-2.0

package kv

// An EventListener learns which blocks can be found in a Cache or a Tier, and which no
// longer can. Blocks are [from, to) of the stretch of an identity.
type EventListener interface {
	// BlocksStored says that blocks can be found that could not.
	BlocksStored(id uint64, from, to int32)
	// BlocksRemoved says that blocks can no longer be found.
	BlocksRemoved(id uint64, from, to int32)
}

// SetListener makes a listener hear of all changes from now on. The cache must be empty.
// The listener is called within the call that changes what can be found; blocks that
// sequences in decode fill are stored by Step.
func (c *Cache) SetListener(l EventListener) {
	if c.sequences.pool.table.stretches.len() > 0 {
		panic("kv: SetListener on a cache that is not empty")
	}
	c.sequences.pool.table.listener = l
	c.sequences.decodes.filling = make([][]int32, c.BlockTokens())
}

// SetListener makes a listener hear of all changes from now on. The tier must be empty.
func (t *Tier) SetListener(l EventListener) {
	if t.Used() > 0 {
		panic("kv: SetListener on a tier that is not empty")
	}
	t.listener = l
}
