// SPDX-License-Identifier: Apache-2.0

package kv

// blockPool is who has which blocks: the free ones in their queue, and all others, which
// sequences hold.
type blockPool struct {
	table  blockTable
	blocks int
	queue  freeQueue
	// shared is how many blocks several sequences hold.
	shared    int
	evictions int64
	// evicted is the blocks that were evicted since TakeEvicted, if recorded.
	recording bool
	evicted   []Span
}

func (p *blockPool) init(blocks int, order Order) {
	empty := segmentList{none, none}
	p.blocks = blocks
	p.table.ranks.order = order
	p.queue = freeQueue{table: &p.table, segmentList: empty, order: order, loose: blocks, free: blocks, blank: blocks}
}

// used returns how many blocks sequences hold.
func (p *blockPool) used() int { return p.blocks - p.queue.free }

// take takes n blocks from the front of the free queue and evicts their content. There
// must be as many.
func (p *blockPool) take(n int) {
	f := &p.queue
	if n > f.free {
		panic("kv: more blocks are taken than are free")
	}
	f.free -= n
	f.changes++
	if f.order != LRU {
		n -= f.takeLoose(n)
	}
	for n > 0 {
		if f.first == none {
			f.takeLoose(n)
			return
		}
		n -= f.takeBlank(n)
		if n == 0 {
			return
		}
		evicted := min(n, int(p.table.segments.all[f.first].len()))
		n -= evicted
		p.evict(f.first, int32(evicted))
	}
}

// evict forgets the last n blocks of the segment at the front of the free queue.
func (p *blockPool) evict(at, n int32) {
	table := &p.table
	p.evictions += int64(n)
	s := &table.segments.all[at]
	owner := s.stretch
	if owner == none {
		p.evictAnonymous(at, n)
		return
	}
	if p.recording {
		p.evicted = append(p.evicted, Span{table.stretches.all[owner].id, s.to, s.to - n})
	}
	s.to -= n
	if s.len() == 0 {
		p.queue.remove(at)
		table.detach(at)
	}
	table.updateEnd(owner)
}

// evictAnonymous forgets blocks of the segment at the front of the free queue, which belongs
// to no stretch.
func (p *blockPool) evictAnonymous(at, n int32) {
	s := &p.table.segments.all[at]
	s.to -= n
	if s.len() == 0 {
		p.queue.remove(at)
		p.table.segments.release(at)
	}
}

// allowsAnonymous says that blocks have no ranks, and that nothing asks which ones are evicted
// or follow others.
func (p *blockPool) allowsAnonymous() bool {
	return p.queue.order == LRU && !p.recording && p.table.listener == nil && !p.table.children.tracked()
}

// evictFree evicts the content of up to n free blocks, those that are reused first, and
// returns how many. They keep their place in the queue.
func (p *blockPool) evictFree(n int) int {
	evicted := 0
	for evicted < n && p.queue.first != none {
		blocks := p.queue.emptyFront(n - evicted)
		p.evict(p.queue.first, int32(blocks))
		evicted += blocks
	}
	return evicted
}

// cut splits a segment before a block and returns the second part. The first part keeps
// its number.
func (p *blockPool) cut(at, block int32) (tail int32) {
	tail = p.table.split(at, block)
	segments := p.table.segments.all
	s, t := &segments[at], &segments[tail]
	if s.references > 0 {
		return tail
	}
	// The last blocks of a free segment are reused first, so the tail comes before the
	// head in the list, after the same blank blocks.
	s.blank = 0
	t.after, s.before = at, tail
	if t.before != none {
		segments[t.before].after = tail
	} else {
		p.queue.first = tail
	}
	return tail
}

// acquire makes another sequence, with a request of some priority, hold a segment.
func (p *blockPool) acquire(at int32, priority int) {
	if p.table.segments.all[at].references == 0 {
		p.queue.remove(at)
	}
	s := &p.table.segments.all[at]
	s.references++
	if s.references == 2 {
		p.shared += int(s.len())
	}
	p.table.ranks.use(at, priority)
}

// release ends that a sequence holds a segment.
func (p *blockPool) release(at int32) {
	s := &p.table.segments.all[at]
	s.references--
	switch s.references {
	case 0:
		p.queue.push(at)
	case 1:
		p.shared -= int(s.len())
	}
}

// nextEvicted appends to dst the first n blocks with content of the free queue, in the order
// in which they are reused. None may be anonymous.
func (p *blockPool) nextEvicted(n int, dst []Span) []Span {
	for at := p.queue.first; at != none && n > 0; at = p.table.segments.all[at].after {
		s := &p.table.segments.all[at]
		blocks := min(n, int(s.len()))
		dst = append(dst, Span{p.table.stretches.all[s.stretch].id, s.to, s.to - int32(blocks)})
		n -= blocks
	}
	return dst
}
