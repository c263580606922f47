// SPDX-License-Identifier: Apache-2.0

package kv

// discard drops the content of a sequence's blocks from the last one back, up to the
// first that another sequence holds or that a cached block follows, and releases it.
func (s *sequences) discard(at int32) {
	if s.pool.queue.anonymous {
		panic("kv: Discard in a cache with anonymous sequences")
	}
	s.pool.table.trackChildren()
	dropped := 0
	for {
		n := s.dropLast(at)
		if n == 0 {
			break
		}
		dropped += n
	}
	s.pool.queue.pushBlankFront(dropped)
	s.release(at)
}

// dropLast drops the content of some of the last registered blocks of a sequence, and
// returns how many; 0 where none may be dropped.
func (s *sequences) dropLast(k int32) int {
	q := &s.records.all[k]
	if len(q.held) == 0 {
		return 0
	}
	segments := &s.pool.table.segments
	h := &q.held[len(q.held)-1]
	at := h.segment
	for left := h.blocks - segments.all[at].len(); left > 0; left -= segments.all[at].len() {
		at = segments.all[at].tail
	}
	if segments.all[at].references > 1 {
		return 0
	}
	needed := s.neededBlocks(at)
	from, to := segments.all[at].from, segments.all[at].to
	if needed >= to {
		return 0
	}
	if needed > from {
		at, from = s.pool.cut(at, needed), needed
	}
	n := to - from
	s.pool.table.forget(at)
	h.blocks -= n
	if h.blocks == 0 {
		q.held = q.held[:len(q.held)-1]
	}
	q.tokens -= int(n) * s.blockTokens
	q.registered -= n
	return int(n)
}

// neededBlocks returns how many first blocks of a segment's stretch other cached blocks
// need as their prefix: other segments of it, and stretches that follow.
func (s *sequences) neededBlocks(at int32) int32 {
	owner, to := s.pool.table.segments.all[at].stretch, s.pool.table.segments.all[at].to
	s.revokeClaim(owner)
	needed := int32(0)
	for i := s.pool.table.stretches.all[owner].first; i != none; i = s.pool.table.segments.all[i].next {
		if i != at {
			needed = max(needed, s.pool.table.segments.all[i].to-1)
		}
	}
	var next int32
	for child := s.pool.table.children.links[owner].first; child != none && needed < to; child = next {
		s.revokeClaim(child)
		next = s.pool.table.children.links[child].next
		if !s.pool.table.removeIfEmpty(child) {
			needed = max(needed, s.pool.table.stretches.all[child].attached)
		}
	}
	return needed
}
