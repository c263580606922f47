// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/prompt"
)

// Pin is blocks that must not be evicted, by number. Numbers are used again
// after Unpin.
type Pin int32

// pinned is parts of shelves, in the order in which they were asked for.
type pinned struct{ parts []part }

// part is the blocks [from, to) of a shelf.
type part struct{ shelf, from, to int32 }

// Pin keeps a chain's blocks [from, to), numbered through the chain, from being
// evicted. All of them must be present, and there must be one.
func (s *Tier) Pin(chain []prompt.Stretch, from, to int) Pin {
	at := s.pins.take()
	s.pins.all[at].parts = s.pins.all[at].parts[:0]
	w := walk{chain, from, to}
	for part, ok := w.next(); ok; part, ok = w.next() {
		s.pin(at, part)
	}
	return s.pinnedNow(at)
}

// PinSpans is Pin of spans.
func (s *Tier) PinSpans(spans []Span) Pin {
	at := s.pins.take()
	s.pins.all[at].parts = s.pins.all[at].parts[:0]
	for _, span := range spans {
		s.pin(at, span)
	}
	return s.pinnedNow(at)
}

func (s *Tier) pinnedNow(at int32) Pin {
	if len(s.pins.all[at].parts) == 0 {
		panic("kv: nothing is to be pinned")
	}
	return Pin(at)
}

func (s *Tier) pin(pin int32, span Span) {
	from, to := span.bounds()
	shelf := s.find(span.ID)
	if shelf == none || s.run(Span{span.ID, from, to}) < span.Blocks() {
		panic(fmt.Sprintf("kv: blocks %d to %d of %x are to be pinned, and are not all there", from, to, span.ID))
	}
	s.pins.all[pin].parts = append(s.pins.all[pin].parts, part{shelf, from, to})
	at := s.shelves.all[shelf].first
	for s.pieces.all[at].to <= from {
		at = s.pieces.all[at].next
	}
	if s.pieces.all[at].from < from {
		at = s.cut(at, from)
	}
	for at != none && s.pieces.all[at].from < to {
		if s.pieces.all[at].to > to {
			s.cut(at, to)
		}
		if s.pieces.all[at].pins == 0 {
			s.unlink(at)
		}
		s.pieces.all[at].pins++
		at = s.pieces.all[at].next
	}
}

// Unpin ends a pin. Blocks that are pinned no more are the youngest of their
// rank, and the first one of all is the youngest of them.
func (s *Tier) Unpin(p Pin) {
	parts := s.pins.all[p].parts
	if len(parts) == 0 {
		panic("kv: a pin that is over")
	}
	for i := len(parts) - 1; i >= 0; i-- {
		s.unpin(parts[i])
	}
	s.pins.all[p].parts = parts[:0]
	s.pins.release(int32(p))
}

func (s *Tier) unpin(t part) {
	var previous int32
	for at := s.shelves.all[t.shelf].last; at != none; at = previous {
		p := &s.pieces.all[at]
		previous = p.previous
		if p.from >= t.to || p.to <= t.from {
			continue
		}
		p.pins--
		if p.pins == 0 {
			s.push(at)
		}
	}
}

// Touch notes that a request of some priority uses the blocks [0, to) of a
// chain, numbered through it. Those that are present count another use, and
// become the youngest of their rank unless they are pinned, the last one first.
func (s *Tier) Touch(chain []prompt.Stretch, to, priority int) {
	s.spans = ChainSpans(s.spans[:0], chain, 0, to)
	for i := len(s.spans) - 1; i >= 0; i-- {
		s.touch(s.spans[i], priority)
	}
}

func (s *Tier) touch(span Span, priority int) {
	shelf := s.find(span.ID)
	if shelf == none {
		return
	}
	var previous int32
	for at := s.shelves.all[shelf].last; at != none; at = previous {
		p := &s.pieces.all[at]
		previous = p.previous
		if p.pending || p.from >= span.To || s.order == LRU && p.pins > 0 {
			continue
		}
		if p.to > span.To {
			s.cut(at, span.To)
			p = &s.pieces.all[at]
		}
		if p.pins > 0 {
			s.renew(p, priority)
			continue
		}
		s.unlink(at)
		s.renew(p, priority)
		s.push(at)
	}
}
