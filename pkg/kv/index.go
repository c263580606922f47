// SPDX-License-Identifier: Apache-2.0

package kv

import "math/bits"

// index leads from identities to blocks: open addressing with linear probing
// in a power of two of slots, at most half full. A slot holds the low half of
// an identity, and the block carries the whole of it, so that eight slots share
// a cache line; a long run spends most of its time fetching those. Deletion
// shifts followers back, so that no tombstones pile up.
type index struct {
	slots []slot
	mask  uint32
	len   int
}

type slot struct {
	tag   uint32 // low half of the identity, whose low bits are its home
	block int32  // plus 1; 0 marks an empty slot
}

// newIndex returns an index for as many identities as there are blocks. It
// never grows: a block has one identity.
func newIndex(blocks int) index {
	size := uint64(1) << bits.Len64(uint64(2*blocks-1))
	return index{slots: make([]slot, size), mask: uint32(size - 1)}
}

// find returns the block that carries an identity.
func (c *Cache) find(identity uint64) (int32, bool) {
	t := &c.index
	tag := uint32(identity)
	for i := tag & t.mask; ; i = (i + 1) & t.mask {
		s := t.slots[i]
		if s.block == 0 {
			return 0, false
		}
		if s.tag == tag && c.blocks[s.block-1].identity == identity {
			return s.block - 1, true
		}
	}
}

// name gives an unnamed block an identity, unless another block carries it.
func (c *Cache) name(b int32, identity uint64) {
	t := &c.index
	tag := uint32(identity)
	i := tag & t.mask
	for ; t.slots[i].block != 0; i = (i + 1) & t.mask {
		if s := t.slots[i]; s.tag == tag && c.blocks[s.block-1].identity == identity {
			return
		}
	}
	t.slots[i] = slot{tag: tag, block: b + 1}
	t.len++
	c.blocks[b].identity, c.blocks[b].named = identity, true
}

// forget takes a named block's identity away.
func (c *Cache) forget(b int32) {
	t := &c.index
	c.blocks[b].named = false
	t.len--
	hole := uint32(c.blocks[b].identity) & t.mask
	for t.slots[hole].block != b+1 {
		hole = (hole + 1) & t.mask
	}
	for i := (hole + 1) & t.mask; t.slots[i].block != 0; i = (i + 1) & t.mask {
		// An entry may fill the hole unless its home lies behind the hole.
		home := t.slots[i].tag & t.mask
		if (i-home)&t.mask >= (i-hole)&t.mask {
			t.slots[hole] = t.slots[i]
			hole = i
		}
	}
	t.slots[hole] = slot{}
}
