// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// tierTable is what a tier holds, by stretches: blocks that are present or pending.
type tierTable struct {
	index     index
	stretches arena[tierStretch]
	segments  arena[tierSegment]
}

// tierStretch is what a tier holds of one stretch: segments in order of their blocks.
type tierStretch struct {
	id          uint64
	first, last int32
}

// tierSegment is the blocks [from, to) of a stretch, all of them pending, or all present
// and pinned equally often.
type tierSegment struct {
	stretch  int32
	from, to int32
	pins     int32
	pending  bool
	// rank is what the tier's order goes by before age.
	rank int64
	// stored is when the blocks became present.
	stored simtime.Time
	// In the list of the stretch.
	previous, next int32
	// In the eviction queue, where the segment is evictable.
	before, after int32
}

func (s *tierSegment) len() int32 { return s.to - s.from }

func (s *tierSegment) evictable() bool { return !s.pending && s.pins == 0 }

// continuedBy reports whether another segment begins where this one ends, with the same
// history.
func (s *tierSegment) continuedBy(n *tierSegment) bool {
	return s.to == n.from && s.rank == n.rank && s.stored == n.stored
}

// find returns the stretch of an identity, or none.
func (t *tierTable) find(id uint64) int32 {
	for at, slot := t.index.next(id, uint32(id)); at != none; at, slot = t.index.next(id, slot) {
		if t.stretches.all[at].id == id {
			return at
		}
	}
	return none
}

// open is find, and adds the stretch if there is none.
func (t *tierTable) open(id uint64) int32 {
	if at := t.find(id); at != none {
		return at
	}
	at := t.stretches.take()
	t.stretches.all[at] = tierStretch{id: id, first: none, last: none}
	t.index.put(id, at)
	return at
}

// hits returns how many of the first blocks of a part are present.
func (t *tierTable) hits(part Span) int {
	at := t.find(part.ID)
	if at == none {
		return 0
	}
	end := part.From
	for i := t.stretches.all[at].first; i != none && end < part.To; i = t.segments.all[i].next {
		s := &t.segments.all[i]
		if s.from > end || s.pending && s.to > end {
			break
		}
		end = max(end, s.to)
	}
	return int(min(end, part.To) - part.From)
}

// misses returns how many of the first blocks of a part are not present.
func (t *tierTable) misses(part Span) int {
	at := t.find(part.ID)
	if at == none {
		return part.Blocks()
	}
	for i := t.stretches.all[at].first; i != none; i = t.segments.all[i].next {
		if s := &t.segments.all[i]; !s.pending && s.to > part.From {
			return int(min(max(s.from, part.From), part.To) - part.From)
		}
	}
	return part.Blocks()
}

// storedSince returns how many blocks of a part are present and were stored at since or
// later.
func (t *tierTable) storedSince(part Span, since simtime.Time) int {
	at := t.find(part.ID)
	if at == none {
		return 0
	}
	stored := 0
	for i := t.stretches.all[at].first; i != none; i = t.segments.all[i].next {
		if s := &t.segments.all[i]; !s.pending && s.stored >= since {
			stored += int(max(0, min(s.to, part.To)-max(s.from, part.From)))
		}
	}
	return stored
}

// missing appends to dst what is neither present nor pending of a span.
func (t *tierTable) missing(dst []Span, span Span) []Span {
	from, to := span.bounds()
	first := len(dst)
	if at := t.find(span.ID); at != none {
		for i := t.stretches.all[at].first; i != none && from < to; i = t.segments.all[i].next {
			s := &t.segments.all[i]
			if from < s.from {
				dst = append(dst, Span{span.ID, from, min(s.from, to)})
			}
			from = max(from, s.to)
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

// insert adds a pending segment of the blocks [from, to) to a stretch that has none of
// them.
func (t *tierTable) insert(stretch, from, to int32) int32 {
	at := t.segments.take()
	owner := &t.stretches.all[stretch]
	previous := owner.last
	for previous != none && t.segments.all[previous].from > from {
		previous = t.segments.all[previous].previous
	}
	next := owner.first
	if previous != none {
		next = t.segments.all[previous].next
	}
	t.segments.all[at] = tierSegment{
		stretch: stretch, from: from, to: to, pending: true,
		previous: previous, next: next, before: none, after: none,
	}
	t.link(at)
	return at
}

// link makes the neighbours that a segment names in its stretch point to it.
func (t *tierTable) link(at int32) {
	s := &t.segments.all[at]
	owner := &t.stretches.all[s.stretch]
	if s.previous == none {
		owner.first = at
	} else {
		t.segments.all[s.previous].next = at
	}
	if s.next == none {
		owner.last = at
	} else {
		t.segments.all[s.next].previous = at
	}
}

// remove removes a segment, which must not be in the queue, and its stretch if that is
// empty then.
func (t *tierTable) remove(at int32) {
	s := &t.segments.all[at]
	owner := &t.stretches.all[s.stretch]
	if s.previous == none {
		owner.first = s.next
	} else {
		t.segments.all[s.previous].next = s.next
	}
	if s.next == none {
		owner.last = s.previous
	} else {
		t.segments.all[s.next].previous = s.previous
	}
	if owner.first == none {
		t.index.remove(owner.id, s.stretch)
		t.stretches.release(s.stretch)
	}
	t.segments.release(at)
}

// split cuts a segment before a block and returns the second part. The first part keeps
// its number. The queue is the caller's.
func (t *tierTable) split(at, block int32) (tail int32) {
	tail = t.segments.take()
	s, r := &t.segments.all[at], &t.segments.all[tail]
	*r = *s
	s.to, r.from = block, block
	r.previous = at
	t.link(tail)
	return tail
}
