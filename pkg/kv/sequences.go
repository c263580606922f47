// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"fmt"
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/prompt"
)

// Sequence is a running sequence, by the number that Admit gave it. Numbers are used
// again after Release.
type Sequence int32

// sequences is the running sequences and their pool: which blocks they hold, and which of those are
// registered, that is, can be found in the table. With prefix caching full blocks are,
// without it none.
type sequences struct {
	pool        blockPool
	blockTokens int
	caching     bool
	windows     Windows

	records  arena[sequence]
	admitted int64
	decodes  decodes
	scratch  []int32 // segments
}

// sequence is the blocks of one running sequence: registered ones, from the first on,
// and behind them others.
type sequence struct {
	chain []prompt.Stretch
	// admitted numbers sequences in order of admission; 0 for none.
	admitted int64
	// held is the registered blocks.
	held       []heldBlocks
	registered int32
	// at and into are the place in the chain of the next block to be registered.
	at, into int32
	// parent is the stretch before that place, current the one that contains it, if
	// the sequence holds some of it.
	parent, current int32

	// tokens is what there is room for; in decode that is start plus the steps so far.
	tokens int
	// unsure is how many of the last tokens may never come: see ExtendPast.
	unsure   int
	start    int64
	decoding bool
	// window is how many blocks each group of windows holds of it.
	window int32
	// withheld says that its own blocks are not registered yet.
	withheld bool
	priority int
	// anonymous says that full blocks behind the chain have content that is not registered.
	anonymous bool
	// claimed is the stretch that waits for this sequence's blocks, or none.
	claimed int32
	// stepwise says that the sequence is in decodes.stepwise.
	stepwise bool
	// place is where it stands in decodes.filling, if there is a listener.
	place int32
}

// heldBlocks is consecutive blocks that begin with a segment. Where the segment was cut
// since, its tail holds the others.
type heldBlocks struct{ segment, blocks int32 }

// fewSegments is how many segments most sequences hold at most.
const fewSegments = 6

// blocksOf returns how many blocks a number of tokens takes.
func (s *sequences) blocksOf(tokens int) int { return (tokens + s.blockTokens - 1) / s.blockTokens }

// running returns a sequence that must be running.
func (s *sequences) running(k Sequence) *sequence {
	q := &s.records.all[k]
	if q.admitted == 0 {
		panic(fmt.Sprintf("kv: sequence %d is not running", k))
	}
	return q
}

// open adds a sequence without blocks.
func (s *sequences) open(a *Admission) int32 {
	s.admitted++
	at := s.records.take()
	q := &s.records.all[at]
	*q = sequence{
		chain: a.Chain, held: q.held[:0], admitted: s.admitted, tokens: a.Tokens, withheld: a.Withheld, priority: a.Priority,
		anonymous: a.Anonymous && s.caching,
		parent:    none, current: none, claimed: none,
	}
	if q.held == nil {
		q.held = make([]heldBlocks, 0, fewSegments)
	}
	return at
}

// advance moves a sequence on by registered blocks of its current stretch.
func (q *sequence) advance(blocks int32) {
	q.registered += blocks
	q.into += blocks
	if q.into == q.chain[q.at].Blocks {
		q.at, q.into = q.at+1, 0
		q.parent, q.current = q.current, none
	}
}

// admitNeeds returns how many blocks a new sequence takes, hits of which it finds.
func (s *sequences) admitNeeds(a *Admission, hits int) int {
	blocks := s.blocksOf(max(a.Tokens, a.Reserve))
	return blocks - hits + s.windows.of(blocks)
}

// extendNeeds returns how many blocks room for tokens takes.
func (s *sequences) extendNeeds(q *sequence, tokens int) int {
	if q.decoding {
		panic("kv: a sequence in decode cannot be extended")
	}
	blocks := s.blocksOf(tokens)
	fresh := blocks - s.blocksOf(q.tokens)
	if fresh <= 0 {
		return 0
	}
	return fresh + s.windows.of(blocks) - s.windows.Groups*int(q.window)
}

// grow takes the blocks that room for tokens takes.
func (s *sequences) grow(q *sequence, tokens int) {
	blocks := s.blocksOf(tokens)
	if fresh := blocks - s.blocksOf(q.tokens); fresh > 0 {
		s.takeFor(q, blocks, fresh)
	}
}

// sharedBy returns how many blocks of a sequence others hold too.
func (s *sequences) sharedBy(q *sequence) int {
	shared := 0
	for _, h := range q.held {
		for at := h.segment; h.blocks > 0; at = s.pool.table.segments.all[at].tail {
			segment := &s.pool.table.segments.all[at]
			if segment.references > 1 {
				shared += int(segment.len())
			}
			h.blocks -= segment.len()
		}
	}
	return shared
}

// release ends a sequence that is not in decode and frees its blocks, last one first.
func (s *sequences) release(at int32) {
	q := &s.records.all[at]
	anonymous := s.anonymousBlocks(q)
	if blank := s.blocksOf(q.tokens) + s.windows.Groups*int(q.window) - int(q.registered) - anonymous; blank > 0 {
		s.pool.queue.pushBlank(blank)
	}
	if anonymous > 0 {
		s.pool.queue.pushAnonymous(int32(anonymous))
	}
	if s.pool.table.ranks.order != LRU {
		s.raiseRanks(q)
	}
	for i := len(q.held) - 1; i >= 0; i-- {
		s.releaseHeld(q.held[i])
	}
	q.admitted, q.chain = 0, nil
	s.records.release(at)
}

// anonymousBlocks returns how many blocks of a sequence have content that is not registered.
func (s *sequences) anonymousBlocks(q *sequence) int {
	if !q.anonymous || q.withheld {
		return 0
	}
	return (q.tokens-q.unsure)/s.blockTokens - int(q.registered)
}

func (s *sequences) releaseHeld(h heldBlocks) {
	if segment := &s.pool.table.segments.all[h.segment]; segment.len() == h.blocks {
		s.pool.release(h.segment)
		return
	}
	s.scratch = s.appendSegments(s.scratch[:0], h)
	for _, at := range slices.Backward(s.scratch) {
		s.pool.release(at)
	}
}

// appendSegments appends the segments that held blocks are in now, in their order.
func (s *sequences) appendSegments(dst []int32, h heldBlocks) []int32 {
	for at := h.segment; h.blocks > 0; at = s.pool.table.segments.all[at].tail {
		dst = append(dst, at)
		h.blocks -= s.pool.table.segments.all[at].len()
	}
	return dst
}

// raiseRanks gives no block of a sequence a lower rank than a later one. Without copies
// of blocks none has one: a request that used a block used those before it. With copies
// a sequence may have held another copy of an earlier block, which would then be evicted
// first and cut off the rest.
func (s *sequences) raiseRanks(q *sequence) {
	s.scratch = s.scratch[:0]
	for _, h := range q.held {
		s.scratch = s.appendSegments(s.scratch, h)
	}
	least := int64(math.MinInt64)
	for _, at := range slices.Backward(s.scratch) {
		rank := &s.pool.table.ranks.of[at]
		least = max(least, *rank)
		*rank = least
	}
}
