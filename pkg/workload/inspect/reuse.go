// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"math/bits"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// mostTrackedBlocks bounds the blocks whose distances are known. Of a trace with more
// distinct ones, those whose hash has some zero bits stand for all (Waldspurger et al.,
// Efficient MRC Construction with SHARDS, FAST 2015).
const mostTrackedBlocks = 1 << 20

// reuse finds out what LRU caches of all sizes serve (Mattson et al., Evaluation techniques
// for storage hierarchies, 1970). A cache of n blocks holds the n that were used last. All
// blocks of a prompt are used at once, those nearer to its beginning last: so a cache that
// holds a block holds those in front of it.
type reuse struct {
	blockTokens int
	sampleBits  int // of the hash that are 0 for tracked blocks
	stack       *stack
	chain       []uint64
	// within counts the hits of caches of 2^k blocks that those of 2^(k-1) do not have.
	within [65]int64
	// used counts uses of all blocks, and tracked those of tracked ones.
	used, tracked int64
}

func newReuse(blockTokens int, distinct int64) *reuse {
	r := &reuse{blockTokens: blockTokens}
	for distinct>>r.sampleBits > mostTrackedBlocks {
		r.sampleBits++
	}
	r.stack = newStack()
	return r
}

func (r *reuse) tracks(block uint64) bool { return block&(1<<r.sampleBits-1) == 0 }

// add notes a prompt.
func (r *reuse) add(p prompt.Prompt) {
	r.chain = p.FullBlocks(r.chain[:0], r.blockTokens)
	r.used += int64(len(r.chain))
	for _, block := range r.chain {
		if !r.tracks(block) {
			continue
		}
		r.tracked++
		if d, known := r.stack.distance(block); known {
			r.within[bits.Len64(uint64(d)<<r.sampleBits-1)]++
		}
	}
	for i := len(r.chain) - 1; i >= 0; i-- {
		if r.tracks(r.chain[i]) {
			r.stack.use(r.chain[i])
		}
	}
}

func (r *reuse) describe(s trace.Statistics) *Reuse {
	of := &Reuse{
		BlockTokens: r.blockTokens, DistinctBlocks: s.DistinctBlocks, UnboundedShare: s.ReusableShare,
		SampledShare: 1 / float64(int64(1)<<r.sampleBits),
	}
	// A sample with more uses of frequent blocks than all blocks have, or fewer, is off by
	// hits of the smallest caches: the adjustment of that paper.
	hits := r.used>>r.sampleBits - r.tracked
	for k, more := range r.within {
		hits += more
		blocks := int64(1) << k
		share := max(0, float64((hits<<r.sampleBits)*int64(r.blockTokens))/float64(s.InputTokens))
		of.Caches = append(of.Caches, CacheShare{Blocks: blocks, Tokens: blocks * int64(r.blockTokens), Share: min(share, s.ReusableShare)})
		if blocks >= s.DistinctBlocks {
			break
		}
	}
	return of
}

// stack has blocks in the order in which they were last used.
type stack struct {
	place map[uint64]int32 // of a block, in order of its last use
	used  []int32          // Fenwick tree of which places have a block, from 1 on
	next  int32            // the place of the next use
}

const leastPlaces = 1 << 10

func newStack() *stack {
	return &stack{place: map[uint64]int32{}, used: make([]int32, leastPlaces+1), next: 1}
}

// distance returns how many blocks were used since the block was, itself included; false
// where it was not used before.
func (s *stack) distance(block uint64) (int, bool) {
	at, known := s.place[block]
	if !known {
		return 0, false
	}
	return len(s.place) - int(s.upTo(at-1)), true
}

// use makes the block the one that was used last.
func (s *stack) use(block uint64) {
	if int(s.next) == len(s.used) {
		s.compact()
	}
	if at, known := s.place[block]; known {
		s.mark(at, -1)
	}
	s.place[block] = s.next
	s.mark(s.next, 1)
	s.next++
}

// mark adds to a place's count.
func (s *stack) mark(place, by int32) {
	for ; int(place) < len(s.used); place += place & -place {
		s.used[place] += by
	}
}

// upTo counts the blocks up to a place.
func (s *stack) upTo(place int32) int32 {
	n := int32(0)
	for ; place > 0; place -= place & -place {
		n += s.used[place]
	}
	return n
}

// compact takes the places without a block away, and makes room for as many uses as there
// are blocks.
func (s *stack) compact() {
	for block, at := range s.place { // each by itself, in any order
		s.place[block] = s.upTo(at)
	}
	n := int32(len(s.place))
	s.used = make([]int32, max(leastPlaces, 2*n)+1)
	for place := int32(1); place < int32(len(s.used)); place++ {
		if place <= n {
			s.used[place]++
		}
		if above := place + place&-place; int(above) < len(s.used) {
			s.used[above] += s.used[place]
		}
	}
	s.next = n + 1
}
