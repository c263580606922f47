// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Tier is a tier below GPU memory: a set of blocks, each by the stretch it is
// in and its number there. Unlike a Cache it may hold any part of a text,
// without what comes before. It is not safe for concurrent use.
//
// A block's place is free, or taken for content on its way (pending), or the
// block is present. A present block may be pinned, any number of times; those
// that are not queue up to make room in the store's Order.
//
// A store keeps a record of a piece, neighbouring blocks of one stretch with
// the same history, not of a block. It costs as much as texts have been cut.
type Tier struct {
	blocks int
	order  Order

	present, pending int
	// evictable is how many present blocks are not pinned.
	evictable int
	evictions int64

	index   index
	shelves arena[shelf]
	pieces  arena[piece]
	// The queue of pieces that may be evicted, next one first.
	first, last int32
	levels      rankLevels

	reserved arena[reservation]
	pins     arena[pinned]

	spans, evicted []Span
	watcher        EventListener // nil if nobody is told
}

// shelf is what a store holds of one stretch: pieces in order of their blocks.
type shelf struct {
	id          uint64
	first, last int32
}

// piece is the blocks [from, to) of a shelf, all of them pending, or all
// present and pinned equally often.
type piece struct {
	shelf    int32
	from, to int32
	pins     int32
	pending  bool
	// rank is what the store's order goes by before age.
	rank int64
	// stored is when the blocks became present.
	stored simtime.Time
	// In the list of the shelf.
	previous, next int32
	// In the queue, where the piece is present and not pinned.
	before, after int32
}

func (p *piece) len() int32 { return p.to - p.from }

// queued says that the piece may be evicted.
func (p *piece) queued() bool { return !p.pending && p.pins == 0 }

// NewTier returns an empty store of blocks blocks, 1 to 2^30.
func NewTier(blocks int, order Order) *Tier {
	if blocks < 1 || blocks > maxBlocks {
		panic(fmt.Sprintf("kv: a store of %d blocks", blocks))
	}
	return &Tier{blocks: blocks, order: order, first: none, last: none}
}

// Blocks returns how many blocks the store has room for.
func (s *Tier) Blocks() int { return s.blocks }

// Used returns how many places are taken, by blocks present or pending.
func (s *Tier) Used() int { return s.present + s.pending }

// Present returns how many blocks are there.
func (s *Tier) Present() int { return s.present }

// Pending returns how many places are taken for blocks on their way.
func (s *Tier) Pending() int { return s.pending }

// Pinned returns how many of the blocks present are pinned.
func (s *Tier) Pinned() int { return s.present - s.evictable }

// Reservable returns how many places Reserve can give: those that are free, and those
// of blocks that may be evicted.
func (s *Tier) Reservable() int { return s.blocks - s.Used() + s.evictable }

// Evictions returns how many blocks have made room.
func (s *Tier) Evictions() int64 { return s.evictions }

// find returns the shelf of a stretch, or none.
func (s *Tier) find(id uint64) int32 {
	for at, slot := s.index.next(id, uint32(id)); at != none; at, slot = s.index.next(id, slot) {
		if s.shelves.all[at].id == id {
			return at
		}
	}
	return none
}

// open is find, and makes the shelf if it is not there.
func (s *Tier) open(id uint64) int32 {
	if at := s.find(id); at != none {
		return at
	}
	at := s.shelves.take()
	s.shelves.all[at] = shelf{id: id, first: none, last: none}
	s.index.put(id, at)
	return at
}

// Hits returns how many blocks of a chain are present without a gap from block
// from on and below limit, numbered through the chain.
func (s *Tier) Hits(chain []prompt.Stretch, from, limit int) int {
	there := 0
	w := walk{chain, from, limit}
	for part, ok := w.next(); ok; part, ok = w.next() {
		n := s.run(part)
		there += n
		if n < part.Blocks() {
			break
		}
	}
	return there
}

// run returns how many of the first blocks of a part are present.
func (s *Tier) run(part Span) int {
	at := s.find(part.ID)
	if at == none {
		return 0
	}
	end := part.From
	for i := s.shelves.all[at].first; i != none && end < part.To; i = s.pieces.all[i].next {
		p := &s.pieces.all[i]
		if p.from > end || p.pending && p.to > end {
			break
		}
		end = max(end, p.to)
	}
	return int(min(end, part.To) - part.From)
}

// Missing appends to dst what is neither present nor pending of a chain's
// blocks [from, to), numbered through the chain.
func (s *Tier) Missing(dst []Span, chain []prompt.Stretch, from, to int) []Span {
	w := walk{chain, from, to}
	for part, ok := w.next(); ok; part, ok = w.next() {
		dst = s.gaps(dst, part)
	}
	return dst
}

// MissingSpans appends to dst what is neither present nor pending of spans, in
// their order.
func (s *Tier) MissingSpans(dst, spans []Span) []Span {
	for _, span := range spans {
		dst = s.gaps(dst, span)
	}
	return dst
}

// StoredSince returns how many of a chain's blocks [from, to), numbered through the
// chain, have become present at since or later.
func (s *Tier) StoredSince(chain []prompt.Stretch, from, to int, since simtime.Time) int {
	stored := 0
	w := walk{chain, from, to}
	for part, ok := w.next(); ok; part, ok = w.next() {
		at := s.find(part.ID)
		if at == none {
			continue
		}
		for i := s.shelves.all[at].first; i != none; i = s.pieces.all[i].next {
			if p := &s.pieces.all[i]; !p.pending && p.stored >= since {
				stored += int(max(0, min(p.to, part.To)-max(p.from, part.From)))
			}
		}
	}
	return stored
}
