// SPDX-License-Identifier: Apache-2.0

package kv

// renew gives a piece the rank that another use by a request of some priority
// makes of its own. It must not be in the queue.
func (s *Tier) renew(p *piece, priority int) {
	switch s.order {
	case LRU:
	case LFU:
		p.rank++
	case Priority:
		p.rank = max(p.rank, int64(priority))
	}
}

// push makes a piece the youngest of its rank.
func (s *Tier) push(at int32) {
	p := &s.pieces.all[at]
	s.evictable += int(p.len())
	behind := s.levels.add(p.rank, at)
	if behind != none && behind == p.next && s.alike(p, &s.pieces.all[behind]) {
		s.join(at, behind)
		return
	}
	p.before, p.after = behind, s.first
	if behind != none {
		p.after = s.pieces.all[behind].after
	}
	s.enqueue(at)
}

// alike says that one piece goes on where another one ends, with the same
// history.
func (s *Tier) alike(p, q *piece) bool {
	return p.to == q.from && p.rank == q.rank && p.stored == q.stored
}

// enqueue makes a piece known to its neighbours in the queue.
func (s *Tier) enqueue(at int32) {
	p := &s.pieces.all[at]
	if p.before == none {
		s.first = at
	} else {
		s.pieces.all[p.before].after = at
	}
	if p.after == none {
		s.last = at
	} else {
		s.pieces.all[p.after].before = at
	}
}

// join makes one of a piece and the one that follows it on its shelf, whose
// place in the queue it takes.
func (s *Tier) join(at, next int32) {
	p, n := &s.pieces.all[at], &s.pieces.all[next]
	p.to, p.before, p.after = n.to, n.before, n.after
	s.enqueue(at)
	s.remove(next)
}

// unlink takes a piece out of the queue.
func (s *Tier) unlink(at int32) {
	p := &s.pieces.all[at]
	s.evictable -= int(p.len())
	older := int32(none)
	if p.before == none {
		s.first = p.after
	} else {
		s.pieces.all[p.before].after = p.after
		if s.pieces.all[p.before].rank == p.rank {
			older = p.before
		}
	}
	if p.after == none {
		s.last = p.before
	} else {
		s.pieces.all[p.after].before = p.before
	}
	s.levels.remove(p.rank, at, older)
}

// evict makes room for n blocks and notes what went.
func (s *Tier) evict(n int) {
	s.evicted = s.evicted[:0]
	s.evictions += int64(max(0, n))
	for n > 0 {
		at := s.first
		p := &s.pieces.all[at]
		gone := min(int32(n), p.len())
		n -= int(gone)
		s.present -= int(gone)
		s.evicted = append(s.evicted, Span{s.shelves.all[p.shelf].id, p.to, p.to - gone})
		if s.watcher != nil {
			s.watcher.BlocksRemoved(s.shelves.all[p.shelf].id, p.to-gone, p.to)
		}
		if gone == p.len() {
			s.unlink(at)
			s.remove(at)
			continue
		}
		p.to -= gone
		s.evictable -= int(gone)
	}
}
