// SPDX-License-Identifier: Apache-2.0

package kv

import "math/bits"

// table maps identities to blocks: open addressing with linear probing in a
// power of two of slots, at most half full. Identities are hashes already.
// Deletion shifts followers back, so that there are no tombstones to outlive
// the entries of a long run.
type table struct {
	slots []slot
	mask  uint64
}

type slot struct {
	identity uint64
	block    int32 // number + 1; 0 marks an empty slot
}

func newTable(blocks int) table {
	size := uint64(1) << bits.Len64(uint64(2*blocks-1))
	return table{slots: make([]slot, size), mask: size - 1}
}

func (t *table) find(identity uint64) (int32, bool) {
	for i := identity & t.mask; t.slots[i].block != 0; i = (i + 1) & t.mask {
		if t.slots[i].identity == identity {
			return t.slots[i].block - 1, true
		}
	}
	return 0, false
}

// insert adds an identity and reports whether it was new.
func (t *table) insert(identity uint64, block int32) bool {
	i := identity & t.mask
	for ; t.slots[i].block != 0; i = (i + 1) & t.mask {
		if t.slots[i].identity == identity {
			return false
		}
	}
	t.slots[i] = slot{identity: identity, block: block + 1}
	return true
}

// remove deletes an identity, which must be there.
func (t *table) remove(identity uint64) {
	hole := identity & t.mask
	for t.slots[hole].identity != identity || t.slots[hole].block == 0 {
		hole = (hole + 1) & t.mask
	}
	for i := (hole + 1) & t.mask; t.slots[i].block != 0; i = (i + 1) & t.mask {
		// An entry may fill the hole if its home is not between them.
		home := t.slots[i].identity & t.mask
		if (i-home)&t.mask >= (i-hole)&t.mask {
			t.slots[hole] = t.slots[i]
			hole = i
		}
	}
	t.slots[hole] = slot{}
}
