// SPDX-License-Identifier: Apache-2.0

package epp

import "math/bits"

// A table maps 64-bit keys to small numbers: open addressing with linear
// probing, at most half full, so that a look-up touches little memory and
// nothing is allocated once the table has grown to its working size.
type table struct {
	entries []tableEntry // len is a power of two
	count   int
	shift   int // 64 minus the length's logarithm
}

type tableEntry struct {
	key uint64
	// value is the number plus 1; 0 marks a free entry.
	value int32
}

const smallestTable = 64

// find returns the value of a key.
func (t *table) find(key uint64) (int32, bool) {
	if t.count == 0 {
		return 0, false
	}
	e := t.entries[t.locate(key)]
	return e.value - 1, e.value != 0
}

// findOrPut returns the value of a key, or gives it one and reports true.
func (t *table) findOrPut(key uint64, value int32) (int32, bool) {
	if 2*(t.count+1) > len(t.entries) {
		t.grow()
	}
	e := &t.entries[t.locate(key)]
	if e.value != 0 {
		return e.value - 1, false
	}
	*e = tableEntry{key, value + 1}
	t.count++
	return value, true
}

// remove forgets a key that is there. Entries that were pushed away by it, or
// by what moves, move back, so that a probe may stop at the first free entry.
func (t *table) remove(key uint64) {
	mask := len(t.entries) - 1
	free := t.locate(key)
	for i := free; ; {
		i = (i + 1) & mask
		if t.entries[i].value == 0 {
			break
		}
		home := t.home(t.entries[i].key)
		if (i-home)&mask >= (i-free)&mask {
			t.entries[free] = t.entries[i]
			free = i
		}
	}
	t.entries[free] = tableEntry{}
	t.count--
}

// locate returns the index of a key's entry, or of the free one where it would
// be.
func (t *table) locate(key uint64) int {
	mask := len(t.entries) - 1
	i := t.home(key)
	for t.entries[i].value != 0 && t.entries[i].key != key {
		i = (i + 1) & mask
	}
	return i
}

// home is where probing starts: the upper bits of a product, so that keys in
// sequence spread too.
func (t *table) home(key uint64) int {
	return int(key * 0x9e3779b97f4a7c15 >> t.shift)
}

func (t *table) grow() {
	old := t.entries
	t.entries = make([]tableEntry, max(smallestTable, 2*len(old)))
	t.shift = 65 - bits.Len(uint(len(t.entries)))
	for _, e := range old {
		if e.value != 0 {
			t.entries[t.locate(e.key)] = e
		}
	}
}
