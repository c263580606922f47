// SPDX-License-Identifier: Apache-2.0

// Package hashtable is a hash table from 64-bit keys to small integers. It does not
// store the keys; the caller does.
package hashtable

import "math/bits"

// A Table finds numbers by 64-bit keys: open addressing with linear probing, at
// most half full, so that a look-up touches little memory and nothing is
// allocated once the table has grown to its working size.
//
// It holds half of a hash of each key; the keys themselves are with whoever
// numbers them. There are fewer than 2^31 of them.
type Table struct {
	// KeyOf returns the key of a number that is in the table.
	KeyOf   func(value int32) uint64
	entries []tableEntry // len is a power of two
	count   int
	shift   int // 32 minus the length's logarithm
}

type tableEntry struct {
	hash uint32
	// value is the number plus 1; 0 marks a free entry.
	value int32
}

const smallestTable = 64

// Len returns how many keys there are.
func (t *Table) Len() int { return t.count }

// hashOf is the upper half of a product, so that keys in sequence spread too.
func hashOf(key uint64) uint32 { return uint32(key * 0x9e3779b97f4a7c15 >> 32) }

// Find returns the value of a key.
func (t *Table) Find(key uint64) (int32, bool) {
	if t.count == 0 {
		return 0, false
	}
	hash, mask := hashOf(key), len(t.entries)-1
	for i := int(hash >> t.shift); ; i = (i + 1) & mask {
		e := t.entries[i&mask]
		if e.value == 0 {
			return 0, false
		}
		if e.hash == hash && t.KeyOf(e.value-1) == key {
			return e.value - 1, true
		}
	}
}

// Put gives a key that is not there a value.
func (t *Table) Put(key uint64, value int32) {
	if 2*(t.count+1) > len(t.entries) {
		t.grow()
	}
	t.place(tableEntry{hashOf(key), value + 1})
	t.count++
}

// Remove forgets a key that is there with a value. Entries that were pushed
// away by it, or by what moves, move back, so that a probe may stop at the first
// free entry.
func (t *Table) Remove(key uint64, value int32) {
	mask := len(t.entries) - 1
	free := int(hashOf(key) >> t.shift)
	for t.entries[free].value != value+1 {
		free = (free + 1) & mask
	}
	for i := free; ; {
		i = (i + 1) & mask
		e := t.entries[i]
		if e.value == 0 {
			break
		}
		home := int(e.hash >> t.shift)
		if (i-home)&mask >= (i-free)&mask {
			t.entries[free] = e
			free = i
		}
	}
	t.entries[free] = tableEntry{}
	t.count--
}

// place puts an entry where probing for it ends.
func (t *Table) place(e tableEntry) {
	mask := len(t.entries) - 1
	i := int(e.hash >> t.shift)
	for t.entries[i].value != 0 {
		i = (i + 1) & mask
	}
	t.entries[i] = e
}

func (t *Table) grow() {
	old := t.entries
	t.entries = make([]tableEntry, max(smallestTable, 2*len(old)))
	t.shift = 33 - bits.Len(uint(len(t.entries)))
	for _, e := range old {
		if e.value != 0 {
			t.place(e)
		}
	}
}
