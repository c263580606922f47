// SPDX-License-Identifier: Apache-2.0

package kvtest

import (
	"slices"
	"time"
)

// Order is the eviction order of blocks, as kv.Order.
type Order int

// The orders.
const (
	LRU Order = iota
	LFU
	Priority
)

// nextRank returns the rank of a block after another use.
func (o Order) nextRank(rank, priority int) int {
	switch o {
	case LFU:
		return rank + 1
	case Priority:
		return max(rank, priority)
	}
	return 0
}

// firstRank returns the rank of a block after its first use.
func (o Order) firstRank(priority int) int {
	if o == Priority {
		return priority
	}
	return o.nextRank(0, 0)
}

// Tier is a tier below the cache: blocks by their identity.
type Tier struct {
	Size      int
	Evictions int64

	order   Order
	blocks  map[uint64]*tierBlock
	pending map[uint64]bool
	// queue is what may be evicted: the next block to be evicted in front.
	queue []uint64
}

// tierBlock is a block that is present.
type tierBlock struct {
	pins int
	rank int
	at   time.Duration
}

// NewTier returns an empty tier.
func NewTier(blocks int, order Order) *Tier {
	return &Tier{Size: blocks, order: order, blocks: map[uint64]*tierBlock{}, pending: map[uint64]bool{}}
}

// Present returns how many blocks are there.
func (s *Tier) Present() int { return len(s.blocks) }

// Pending returns how many blocks are pending.
func (s *Tier) Pending() int { return len(s.pending) }

// Queue returns the blocks that may be evicted, in that order.
func (s *Tier) Queue() []uint64 { return s.queue }

// Has says that a block is present.
func (s *Tier) Has(block uint64) bool { return s.blocks[block] != nil }

// Hits returns how many of the first blocks are present without a gap.
func (s *Tier) Hits(blocks []uint64) int {
	for i, b := range blocks {
		if !s.Has(b) {
			return i
		}
	}
	return len(blocks)
}

// Misses returns how many of the first blocks are not present, up to one that is.
func (s *Tier) Misses(blocks []uint64) int {
	for i, b := range blocks {
		if s.Has(b) {
			return i
		}
	}
	return len(blocks)
}

// Missing returns those that are neither present nor pending.
func (s *Tier) Missing(blocks []uint64) []uint64 {
	missing := []uint64{}
	for _, b := range blocks {
		if !s.Has(b) && !s.pending[b] {
			missing = append(missing, b)
		}
	}
	return missing
}

// StoredSince returns how many of the blocks became present at since or later.
func (s *Tier) StoredSince(blocks []uint64, since time.Duration) int {
	n := 0
	for _, b := range blocks {
		if s.Has(b) && s.blocks[b].at >= since {
			n++
		}
	}
	return n
}

// Reserve makes as many of the first missing blocks pending as there is room
// for, and evicts others to make it.
func (s *Tier) Reserve(blocks []uint64) (taken, evicted []uint64) {
	taken, evicted = []uint64{}, []uint64{}
	free := s.Size - len(s.blocks) - len(s.pending)
	room := free + len(s.queue)
	for _, b := range s.Missing(blocks) {
		if len(taken) < room && !s.pending[b] {
			s.pending[b] = true
			taken = append(taken, b)
		}
	}
	for range len(taken) - free {
		evicted = append(evicted, s.queue[0])
		delete(s.blocks, s.queue[0])
		s.queue = s.queue[1:]
		s.Evictions++
	}
	return taken, evicted
}

// Complete makes pending blocks present, the last one of the list first.
func (s *Tier) Complete(blocks []uint64, at time.Duration, priority int) {
	for _, b := range slices.Backward(blocks) {
		delete(s.pending, b)
		s.blocks[b] = &tierBlock{rank: s.order.firstRank(priority), at: at}
		s.push(b)
	}
}

// Cancel gives the places of pending blocks back.
func (s *Tier) Cancel(blocks []uint64) {
	for _, b := range blocks {
		delete(s.pending, b)
	}
}

// push puts a block behind all others of its rank.
func (s *Tier) push(b uint64) {
	behind := 0
	for behind < len(s.queue) && s.blocks[s.queue[behind]].rank <= s.blocks[b].rank {
		behind++
	}
	s.queue = slices.Insert(s.queue, behind, b)
}

func (s *Tier) removeFromQueue(b uint64) {
	s.queue = slices.DeleteFunc(s.queue, func(q uint64) bool { return q == b })
}

// Pin keeps blocks from being evicted. All of them must be present.
func (s *Tier) Pin(blocks []uint64) {
	for _, b := range blocks {
		s.blocks[b].pins++
		s.removeFromQueue(b)
	}
}

// Unpin ends a pin of blocks, the last one first.
func (s *Tier) Unpin(blocks []uint64) {
	for _, b := range slices.Backward(blocks) {
		if s.blocks[b].pins--; s.blocks[b].pins == 0 {
			s.push(b)
		}
	}
}

// Touch notes a use of those blocks that are present, the last one first.
func (s *Tier) Touch(blocks []uint64, priority int) {
	for _, b := range slices.Backward(blocks) {
		if !s.Has(b) {
			continue
		}
		s.removeFromQueue(b)
		s.blocks[b].rank = s.order.nextRank(s.blocks[b].rank, priority)
		if s.blocks[b].pins == 0 {
			s.push(b)
		}
	}
}
