// SPDX-License-Identifier: Apache-2.0

package kv

// tierQueue is the evictable segments of a tier, the next one to be evicted first: by
// rank, and by age among equals. Each is evicted from its last block to its first.
type tierQueue struct {
	table       *tierTable
	first, last int32
	levels      rankLevels
	// blocks is how many blocks are evictable.
	blocks int
}

// push makes a segment the youngest of its rank.
func (q *tierQueue) push(at int32) {
	segments := q.table.segments.all
	s := &segments[at]
	q.blocks += int(s.len())
	before := q.levels.add(s.rank, at)
	if before != none && before == s.next && s.continuedBy(&segments[before]) {
		q.join(at, before)
		return
	}
	s.before, s.after = before, q.first
	if before != none {
		s.after = segments[before].after
	}
	q.link(at)
}

// link makes the neighbours that a segment names in the queue point to it.
func (q *tierQueue) link(at int32) {
	segments := q.table.segments.all
	s := &segments[at]
	if s.before == none {
		q.first = at
	} else {
		segments[s.before].after = at
	}
	if s.after == none {
		q.last = at
	} else {
		segments[s.after].before = at
	}
}

// join merges a segment with the next one of its stretch, and takes its place in the
// queue.
func (q *tierQueue) join(at, next int32) {
	s, n := &q.table.segments.all[at], &q.table.segments.all[next]
	s.to, s.before, s.after = n.to, n.before, n.after
	q.link(at)
	q.table.remove(next)
}

// remove takes a segment out of the queue.
func (q *tierQueue) remove(at int32) {
	segments := q.table.segments.all
	s := &segments[at]
	q.blocks -= int(s.len())
	older := int32(none)
	if s.before == none {
		q.first = s.after
	} else {
		segments[s.before].after = s.after
		if segments[s.before].rank == s.rank {
			older = s.before
		}
	}
	if s.after == none {
		q.last = s.before
	} else {
		segments[s.after].before = s.before
	}
	q.levels.remove(s.rank, at, older)
}

// cut splits a segment of the table before a block, and keeps the queue in order.
func (q *tierQueue) cut(at, block int32) (tail int32) {
	tail = q.table.split(at, block)
	segments := q.table.segments.all
	s, t := &segments[at], &segments[tail]
	if !s.evictable() {
		return tail
	}
	// The last blocks are evicted first.
	t.after, s.before = at, tail
	if t.before == none {
		q.first = tail
	} else {
		segments[t.before].after = tail
	}
	return tail
}

// evict removes up to n blocks of the first segment from the queue and the table, and
// returns them. There must be a segment.
func (q *tierQueue) evict(n int) Span {
	at := q.first
	s := &q.table.segments.all[at]
	evicted := min(int32(n), s.len())
	span := Span{q.table.stretches.all[s.stretch].id, s.to, s.to - evicted}
	if evicted == s.len() {
		q.remove(at)
		q.table.remove(at)
		return span
	}
	s.to -= evicted
	q.blocks -= int(evicted)
	return span
}
