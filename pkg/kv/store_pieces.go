// SPDX-License-Identifier: Apache-2.0

package kv

import "slices"

// gaps appends to dst what no piece covers of a span.
func (s *Tier) gaps(dst []Span, span Span) []Span {
	from, to := span.bounds()
	first := len(dst)
	if at := s.find(span.ID); at != none {
		for i := s.shelves.all[at].first; i != none && from < to; i = s.pieces.all[i].next {
			p := &s.pieces.all[i]
			if from < p.from {
				dst = append(dst, Span{span.ID, from, min(p.from, to)})
			}
			from = max(from, p.to)
		}
	}
	if from < to {
		dst = append(dst, Span{span.ID, from, to})
	}
	if span.backwards() {
		slices.Reverse(dst[first:])
		for i, gap := range dst[first:] {
			dst[first+i].From, dst[first+i].To = gap.To, gap.From
		}
	}
	return dst
}

// insert puts a pending piece of the blocks [from, to) on a shelf that has none
// of them.
func (s *Tier) insert(shelf, from, to int32) int32 {
	at := s.pieces.take()
	t := &s.shelves.all[shelf]
	previous := t.last
	for previous != none && s.pieces.all[previous].from > from {
		previous = s.pieces.all[previous].previous
	}
	next := t.first
	if previous != none {
		next = s.pieces.all[previous].next
	}
	s.pieces.all[at] = piece{
		shelf: shelf, from: from, to: to, pending: true,
		previous: previous, next: next, before: none, after: none,
	}
	s.attach(at)
	return at
}

// attach makes a piece known to its neighbours on the shelf.
func (s *Tier) attach(at int32) {
	p := &s.pieces.all[at]
	t := &s.shelves.all[p.shelf]
	if p.previous == none {
		t.first = at
	} else {
		s.pieces.all[p.previous].next = at
	}
	if p.next == none {
		t.last = at
	} else {
		s.pieces.all[p.next].previous = at
	}
}

// remove forgets a piece, which is not in the queue, and a shelf that is
// empty.
func (s *Tier) remove(at int32) {
	p := &s.pieces.all[at]
	t := &s.shelves.all[p.shelf]
	if p.previous == none {
		t.first = p.next
	} else {
		s.pieces.all[p.previous].next = p.next
	}
	if p.next == none {
		t.last = p.previous
	} else {
		s.pieces.all[p.next].previous = p.previous
	}
	if t.first == none {
		s.index.remove(t.id, p.shelf)
		s.shelves.release(p.shelf)
	}
	s.pieces.release(at)
}

// cut splits a piece before a block and returns the second part. The first one
// keeps its number.
func (s *Tier) cut(at, block int32) int32 {
	tail := s.pieces.take()
	p, t := &s.pieces.all[at], &s.pieces.all[tail]
	*t = *p
	p.to, t.from = block, block
	t.previous = at
	s.attach(tail)
	if !p.queued() {
		return tail
	}
	// Last blocks go first.
	t.after, p.before = at, tail
	if t.before == none {
		s.first = tail
	} else {
		s.pieces.all[t.before].after = tail
	}
	return tail
}
