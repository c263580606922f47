// SPDX-License-Identifier: Apache-2.0

package trace

// blockSet is a set of hashed block IDs: open addressing in shards that grow one at a time,
// at 11 to 21 bytes an ID.
type blockSet struct {
	shards  [setShards]setShard
	hasZero bool
}

const (
	setShardBits = 8
	setShards    = 1 << setShardBits
)

// setShard has a power of two of slots, of which 3/8 to 3/4 are in use. 0 is a free one.
type setShard struct {
	slots []uint64
	used  int
}

// add adds an ID, and reports whether it was there before.
func (s *blockSet) add(id uint64) bool {
	if id == 0 {
		had := s.hasZero
		s.hasZero = true
		return had
	}
	return s.shards[id>>(64-setShardBits)].add(id)
}

func (s *setShard) add(id uint64) bool {
	if s.used*4 >= len(s.slots)*3 {
		s.grow()
	}
	slot := s.slotOf(id)
	if s.slots[slot] == id {
		return true
	}
	s.slots[slot] = id
	s.used++
	return false
}

// slotOf returns the slot that has the ID, or the free one for it.
func (s *setShard) slotOf(id uint64) int {
	mask := len(s.slots) - 1
	slot := int(id) & mask
	for s.slots[slot] != 0 && s.slots[slot] != id {
		slot = (slot + 1) & mask
	}
	return slot
}

const leastSlots = 16

func (s *setShard) grow() {
	old := s.slots
	s.slots = make([]uint64, max(leastSlots, 2*len(old)))
	for _, id := range old {
		if id != 0 {
			s.slots[s.slotOf(id)] = id
		}
	}
}
