// SPDX-License-Identifier: Apache-2.0

// Package hashindex maps 64-bit hashes to small numbers: what the hot paths of
// block caches and prefix indexes need, faster and smaller than a Go map.
package hashindex

import "math/bits"

// Table is an open-addressing hash table with linear probing in a power of two
// of slots, at most half full. Keys are used as they are, so they must be
// hashes already. Deletion shifts followers back: there are no tombstones that
// outlive the entries of a long run. It is not safe for concurrent use.
type Table struct {
	slots []slot
	mask  uint64
	len   int
}

type slot struct {
	key   uint64
	value int32 // plus 1; 0 marks an empty slot
}

// New returns a table that holds capacity entries before it grows.
func New(capacity int) *Table {
	size := uint64(1) << bits.Len64(uint64(2*max(capacity, 4)-1))
	return &Table{slots: make([]slot, size), mask: size - 1}
}

// Len returns the number of entries.
func (t *Table) Len() int { return t.len }

// Find returns the value of a key.
func (t *Table) Find(key uint64) (int32, bool) {
	for i := key & t.mask; t.slots[i].value != 0; i = (i + 1) & t.mask {
		if t.slots[i].key == key {
			return t.slots[i].value - 1, true
		}
	}
	return 0, false
}

// Insert adds a key with a value of 0 or more and reports whether the key was
// new; the value of a key that was there stays.
func (t *Table) Insert(key uint64, value int32) bool {
	i := key & t.mask
	for ; t.slots[i].value != 0; i = (i + 1) & t.mask {
		if t.slots[i].key == key {
			return false
		}
	}
	t.slots[i] = slot{key: key, value: value + 1}
	t.len++
	if 2*t.len > len(t.slots) {
		t.grow()
	}
	return true
}

func (t *Table) grow() {
	old := t.slots
	t.slots, t.len = make([]slot, 2*len(old)), 0
	t.mask = uint64(len(t.slots) - 1)
	for _, s := range old {
		if s.value != 0 {
			t.Insert(s.key, s.value-1)
		}
	}
}

// Remove deletes a key and reports whether it was there.
func (t *Table) Remove(key uint64) bool {
	hole := key & t.mask
	for t.slots[hole].value == 0 || t.slots[hole].key != key {
		if t.slots[hole].value == 0 {
			return false
		}
		hole = (hole + 1) & t.mask
	}
	for i := (hole + 1) & t.mask; t.slots[i].value != 0; i = (i + 1) & t.mask {
		// An entry may fill the hole if its home is not behind it.
		home := t.slots[i].key & t.mask
		if (i-home)&t.mask >= (i-hole)&t.mask {
			t.slots[hole] = t.slots[i]
			hole = i
		}
	}
	t.slots[hole] = slot{}
	t.len--
	return true
}
