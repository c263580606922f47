// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"math/bits"
	"sync"
)

// sharedBlocks says where the prompts of a trace in memory part from all others. It is found when
// it is first asked for, since not every trace is replayed.
type sharedBlocks struct {
	once sync.Once
	// leading is how many first blocks of each row other rows may have too.
	leading []int32
}

// sharedOf returns how many first blocks of a row other rows may have too.
func (t *Trace) sharedOf(e *entry) int {
	if t.file != nil {
		return len(e.blocks)
	}
	t.shared.once.Do(t.findShared)
	return int(t.shared.leading[e.index])
}

// findShared looks which blocks come once. There are 8 to 16 pairs of bits for each block; blocks
// that fall on one pair count as one that comes again, which only costs speed.
func (t *Trace) findShared() {
	size := 1 << bits.Len(uint(8*len(t.blocks)))
	mask := uint64(size - 1)
	once, again := newBitSet(size), newBitSet(size)
	for _, source := range t.blocks {
		if at := source & mask; once.has(at) {
			again.add(at)
		} else {
			once.add(at)
		}
	}
	t.shared.leading = make([]int32, len(t.rows))
	var e entry
	for i := range t.rows {
		t.fill(&e, i)
		n := 0
		for n < len(e.blocks) && again.has(e.blocks[n]&mask) {
			n++
		}
		t.shared.leading[i] = int32(n)
	}
}

type bitSet []uint64

func newBitSet(size int) bitSet { return make(bitSet, (size+63)/64) }

func (s bitSet) add(i uint64)      { s[i/64] |= 1 << (i % 64) }
func (s bitSet) has(i uint64) bool { return s[i/64]>>(i%64)&1 == 1 }
