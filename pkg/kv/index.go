// SPDX-License-Identifier: Apache-2.0

package kv

import "math/bits"

// index maps identities to stretches: open addressing with linear
// probing in a power of two of slots, at most half full. A slot holds half of
// an identity, and the stretch the whole of it, so that eight slots share a
// cache line; what a look-up costs is fetching those. Deletion shifts followers
// back, so that no tombstones pile up. The zero value is empty.
type index struct {
	slots []slot
	mask  uint32
	len   int
}

// slot is the low half of an identity, whose low bits are its home, and the
// number of its stretch plus 1; 0 marks an empty slot.
type slot struct {
	tag   uint32
	value int32
}

// leastSlots is the size of the first table.
const leastSlots = 64

// find returns the stretch of an identity, or none.
func (t *index) find(id uint64, stretches []stretch) int32 {
	if t.len == 0 {
		return none
	}
	tag := uint32(id)
	for i := tag & t.mask; ; i = (i + 1) & t.mask {
		s := t.slots[i]
		if s.value == 0 || s.tag == tag && stretches[s.value-1].id == id {
			return s.value - 1
		}
	}
}

// next returns the first value from slot i on that may be an identity's, and
// the slot to go on from where it is not; none if there is no other.
func (t *index) next(id uint64, i uint32) (value int32, after uint32) {
	if t.len == 0 {
		return none, 0
	}
	tag := uint32(id)
	for i &= t.mask; ; i = (i + 1) & t.mask {
		s := t.slots[i]
		if s.value == 0 || s.tag == tag {
			return s.value - 1, i + 1
		}
	}
}

// put adds an identity that is not there.
func (t *index) put(id uint64, value int32) {
	if 2*(t.len+1) > len(t.slots) {
		t.grow()
	}
	t.len++
	t.set(slot{uint32(id), value + 1})
}

func (t *index) set(s slot) {
	i := s.tag & t.mask
	for t.slots[i].value != 0 {
		i = (i + 1) & t.mask
	}
	t.slots[i] = s
}

// remove forgets a stretch that is there.
func (t *index) remove(id uint64, value int32) {
	hole := uint32(id) & t.mask
	for t.slots[hole].value != value+1 {
		hole = (hole + 1) & t.mask
	}
	t.len--
	for i := (hole + 1) & t.mask; t.slots[i].value != 0; i = (i + 1) & t.mask {
		// An entry may fill the hole unless its home lies behind the hole.
		home := t.slots[i].tag & t.mask
		if (i-home)&t.mask >= (i-hole)&t.mask {
			t.slots[hole] = t.slots[i]
			hole = i
		}
	}
	t.slots[hole] = slot{}
}

func (t *index) grow() {
	old := t.slots
	size := max(leastSlots, 1<<bits.Len(uint(len(old))))
	t.slots, t.mask = make([]slot, size), uint32(size-1)
	for _, s := range old {
		if s.value != 0 {
			t.set(s)
		}
	}
}
