// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Tier is a tier below GPU memory: a set of blocks, each by the stretch that contains it
// and its number there. Unlike a Cache it may hold any part of a text, without what
// comes before. It is not safe for concurrent use.
//
// A block's place is free, or reserved for content that is being transferred (pending),
// or the block is present. A present block may be pinned, any number of times; all other
// present blocks queue up to be evicted in the tier's Order.
//
// A tier keeps a record of neighbouring blocks of one stretch with the same history, not
// of a block. Calls cost as much as texts have been cut.
type Tier struct {
	blocks int
	order  Order
	// present and pending are how many blocks are.
	present, pending int
	evictions        int64

	table        tierTable
	queue        tierQueue
	pins         arena[pinnedBlocks]
	reservations arena[reservation]

	spans, evicted []Span
	listener       EventListener // nil for none
}

// NewTier returns an empty tier of blocks blocks, 1 to 2^30.
func NewTier(blocks int, order Order) *Tier {
	if blocks < 1 || blocks > maxBlocks {
		panic(fmt.Sprintf("kv: a tier of %d blocks", blocks))
	}
	t := &Tier{blocks: blocks, order: order}
	t.queue = tierQueue{table: &t.table, first: none, last: none}
	return t
}

// Blocks returns the number of places.
func (t *Tier) Blocks() int { return t.blocks }

// Used returns how many places are taken, by blocks present or pending.
func (t *Tier) Used() int { return t.present + t.pending }

// Present returns how many blocks are present.
func (t *Tier) Present() int { return t.present }

// Pending returns how many places are reserved for blocks that are being transferred.
func (t *Tier) Pending() int { return t.pending }

// Pinned returns how many of the blocks present are pinned.
func (t *Tier) Pinned() int { return t.present - t.queue.blocks }

// Reservable returns how many places Reserve can give: those that are free, and those of
// blocks that may be evicted.
func (t *Tier) Reservable() int { return t.blocks - t.Used() + t.queue.blocks }

// Evictions returns how many blocks have been evicted.
func (t *Tier) Evictions() int64 { return t.evictions }

// Hits returns how many blocks of a chain are present without a gap from block from on
// and below limit, numbered through the chain.
func (t *Tier) Hits(chain []prompt.Stretch, from, limit int) int {
	hits := 0
	parts := chainParts{chain, from, limit}
	for part, ok := parts.next(); ok; part, ok = parts.next() {
		n := t.table.hits(part)
		hits += n
		if n < part.Blocks() {
			break
		}
	}
	return hits
}

// Misses returns how many blocks of a chain are not present, pending ones included, from
// block from on up to the first that is, or below limit.
func (t *Tier) Misses(chain []prompt.Stretch, from, limit int) int {
	misses := 0
	parts := chainParts{chain, from, limit}
	for part, ok := parts.next(); ok; part, ok = parts.next() {
		n := t.table.misses(part)
		misses += n
		if n < part.Blocks() {
			break
		}
	}
	return misses
}

// Missing appends to dst what is neither present nor pending of a chain's blocks
// [from, to), numbered through the chain.
func (t *Tier) Missing(dst []Span, chain []prompt.Stretch, from, to int) []Span {
	parts := chainParts{chain, from, to}
	for part, ok := parts.next(); ok; part, ok = parts.next() {
		dst = t.table.missing(dst, part)
	}
	return dst
}

// MissingSpans appends to dst what is neither present nor pending of spans, in their
// order.
func (t *Tier) MissingSpans(dst, spans []Span) []Span {
	for _, span := range spans {
		dst = t.table.missing(dst, span)
	}
	return dst
}

// StoredSince returns how many of a chain's blocks [from, to), numbered through the
// chain, are present and were stored at since or later.
func (t *Tier) StoredSince(chain []prompt.Stretch, from, to int, since simtime.Time) int {
	stored := 0
	parts := chainParts{chain, from, to}
	for part, ok := parts.next(); ok; part, ok = parts.next() {
		stored += t.table.storedSince(part, since)
	}
	return stored
}

// Touch notes that a request of some priority uses the blocks [0, to) of a chain,
// numbered through it. Those that are present count another use, and become the youngest
// of their rank unless they are pinned, the last one first.
func (t *Tier) Touch(chain []prompt.Stretch, to, priority int) {
	t.spans = chainSpans(t.spans[:0], chain, 0, to)
	for i := len(t.spans) - 1; i >= 0; i-- {
		t.touch(t.spans[i], priority)
	}
}

func (t *Tier) touch(span Span, priority int) {
	stretch := t.table.find(span.ID)
	if stretch == none {
		return
	}
	var previous int32
	for at := t.table.stretches.all[stretch].last; at != none; at = previous {
		s := &t.table.segments.all[at]
		previous = s.previous
		if s.pending || s.from >= span.To || t.order == LRU && s.pins > 0 {
			continue
		}
		if s.to > span.To {
			t.queue.cut(at, span.To)
			s = &t.table.segments.all[at]
		}
		if s.pins > 0 {
			s.rank = t.order.nextRank(s.rank, priority)
			continue
		}
		t.queue.remove(at)
		s.rank = t.order.nextRank(s.rank, priority)
		t.queue.push(at)
	}
}

// evict evicts n blocks and notes them in evicted.
func (t *Tier) evict(n int) {
	t.evicted = t.evicted[:0]
	t.evictions += int64(max(0, n))
	for n > 0 {
		span := t.queue.evict(n)
		n -= span.Blocks()
		t.present -= span.Blocks()
		t.evicted = append(t.evicted, span)
		if t.listener != nil {
			t.listener.BlocksRemoved(span.ID, span.To, span.From)
		}
	}
}
