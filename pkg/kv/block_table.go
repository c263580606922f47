// SPDX-License-Identifier: Apache-2.0

package kv

// blockTable is the content that a cache can find: stretches, and the segments that
// cover them. It knows who holds a segment only as a count.
type blockTable struct {
	stretches arena[stretch]
	segments  arena[segment]
	index     index
	children  stretchChildren
	ranks     segmentRanks
	// registered numbers the segments in the order of their registration.
	registered int64
	listener   EventListener // nil for none
}

// stretch is what the cache holds of one prompt.Stretch: segments that cover its blocks
// from the first to the last one that is cached.
type stretch struct {
	id uint64
	// parent is the stretch before it in every prompt that contains it, and outlives
	// it. child is one of those that follow it, most often the only one: it is found
	// here, and all others in the index.
	parent, child int32
	// The segments, in order of their blocks unless there are copies.
	first, last int32
	// end is how many blocks are covered.
	end int32
	// claimant is the sequence in decode that appends the next blocks and that no other
	// has overtaken, or none.
	claimant int32
	// attached is how many blocks of the parent come before it.
	attached int32
	// copied says that the cache may hold a block more than once.
	copied bool
}

// segment is the blocks [from, to) of a stretch. The same sequences hold all of them,
// or none does and they were freed together.
type segment struct {
	stretch  int32 // none where the content cannot be found
	from, to int32
	// references is how many sequences hold the segment.
	references int32
	// serial tells copies of a block apart: a look-up finds the lowest.
	serial int64
	// In the list of the stretch.
	previous, next int32
	// tail is the segment that was cut off the end of this one last.
	tail int32
	// In the free queue, where references is 0.
	before, after int32
	// blank is how many blocks without content come right before it in the free queue.
	blank int32
}

func (s *segment) len() int32 { return s.to - s.from }

// find returns the stretch of an identity that follows a parent, none for the first
// stretch of a prompt; none if it is not cached.
func (t *blockTable) find(parent int32, id uint64) int32 {
	if parent != none {
		if child := t.stretches.all[parent].child; child != none && t.stretches.all[child].id == id {
			return child
		}
	}
	return t.index.find(id, t.stretches.all)
}

// open returns the stretch at which a sequence continues, and creates it if it is not
// cached.
func (t *blockTable) open(q *sequence) int32 {
	if at := t.find(q.parent, q.chain[q.at].ID); at != none {
		return at
	}
	return t.create(q)
}

// create adds the stretch at which a sequence continues. It must not be cached.
func (t *blockTable) create(q *sequence) int32 {
	at := t.stretches.take()
	parent, id := q.parent, q.chain[q.at].ID
	attached := int32(0)
	if parent != none {
		attached = q.chain[q.at-1].Blocks
	}
	t.stretches.all[at] = stretch{
		id: id, parent: parent, child: none, first: none, last: none, claimant: none, attached: attached,
	}
	if t.children.tracked() {
		t.children.add(at, parent, len(t.stretches.all))
	}
	if parent != none && t.stretches.all[parent].child == none {
		t.stretches.all[parent].child = at
	} else {
		t.index.put(id, at)
	}
	return at
}

// removeIfEmpty removes a stretch that has no segment and no claimant, and reports
// whether it did.
func (t *blockTable) removeIfEmpty(at int32) bool {
	s := &t.stretches.all[at]
	if s.first != none || s.claimant != none {
		return false
	}
	if s.parent != none && t.stretches.all[s.parent].child == at {
		t.stretches.all[s.parent].child = none
	} else {
		t.index.remove(s.id, at)
	}
	if t.children.tracked() {
		t.children.remove(at, s.parent)
	}
	t.stretches.release(at)
	return true
}

// trackChildren starts to keep the children of stretches. The first call walks all
// stretches.
func (t *blockTable) trackChildren() {
	if t.children.tracked() {
		return
	}
	t.children.links = make([]childLinks, 0, len(t.stretches.all)+1)
	for i := range t.index.slots {
		for at := t.index.slots[i].value - 1; at != none; at = t.stretches.all[at].child {
			t.children.add(at, t.stretches.all[at].parent, len(t.stretches.all))
		}
	}
}

// updateEnd finds how many blocks a stretch covers after it lost some. It removes the
// stretch if nothing is left.
func (t *blockTable) updateEnd(at int32) {
	s := &t.stretches.all[at]
	before := s.end
	switch {
	case s.first == none:
		s.end = 0
	case !s.copied:
		s.end = t.segments.all[s.last].to
	default:
		s.end = 0
		for i := s.first; i != none; i = t.segments.all[i].next {
			s.end = max(s.end, t.segments.all[i].to)
		}
	}
	if t.listener != nil && s.end < before {
		t.listener.BlocksRemoved(s.id, s.end, before)
	}
	if s.first == none {
		t.removeIfEmpty(at)
	}
}

// append adds a segment of blocks that one sequence holds.
func (t *blockTable) append(owner, from, to int32, rank int64) int32 {
	at := t.segments.take()
	t.registered++
	s := &t.stretches.all[owner]
	t.segments.all[at] = segment{
		stretch: owner, from: from, to: to, references: 1, serial: t.registered,
		previous: s.last, next: none, tail: none, before: none, after: none,
	}
	if s.last == none {
		s.first = at
	} else {
		t.segments.all[s.last].next = at
	}
	s.last = at
	t.ranks.set(at, rank)
	s.copied = s.copied || from < s.end
	s.end = max(s.end, to)
	return at
}

// detach removes a segment from its stretch.
func (t *blockTable) detach(at int32) {
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
	t.segments.release(at)
}

// forget removes the content of a segment that is in no list.
func (t *blockTable) forget(at int32) {
	owner := t.segments.all[at].stretch
	t.detach(at)
	t.updateEnd(owner)
}

// split cuts a segment before a block and returns the second part. The first part keeps
// its number. The list of free segments is the caller's.
func (t *blockTable) split(at, block int32) (tail int32) {
	tail = t.segments.take()
	s, r := &t.segments.all[at], &t.segments.all[tail]
	*r = *s
	r.from, s.to = block, block

	r.previous, s.next = at, tail
	if r.next == none {
		t.stretches.all[s.stretch].last = tail
	} else {
		t.segments.all[r.next].previous = tail
	}
	s.tail = tail
	t.ranks.copy(tail, at)
	return tail
}

// lookUp returns the segment with a block, and the block up to which it is found
// there. at is the segment of the block before; none for block 0.
func (t *blockTable) lookUp(s *stretch, at, block int32) (found, until int32) {
	if s.copied {
		return t.lookUpCopies(s, block)
	}
	if at == none {
		at = s.first
	} else {
		at = t.segments.all[at].next
	}
	return at, t.segments.all[at].to
}

// lookUpCopies is lookUp where there may be copies: of the segments with a block, the
// one that was registered first.
func (t *blockTable) lookUpCopies(s *stretch, block int32) (at, until int32) {
	at = none
	for i := s.first; i != none; i = t.segments.all[i].next {
		c := &t.segments.all[i]
		if c.from <= block && block < c.to && (at == none || c.serial < t.segments.all[at].serial) {
			at = i
		}
	}
	if at == none {
		panic("kv: a covered block has no segment")
	}
	best := &t.segments.all[at]
	until = best.to
	for i := s.first; i != none; i = t.segments.all[i].next {
		if c := &t.segments.all[i]; c.from > block && c.serial < best.serial {
			until = min(until, c.from)
		}
	}
	return at, until
}
