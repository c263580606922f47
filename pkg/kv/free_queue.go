// SPDX-License-Identifier: Apache-2.0

package kv

// freeQueue is the free blocks in the order in which they are reused: a list of
// segments, each of which is reused from its last block to its first. Blocks without
// content (blank) lie between them and are only counted: a segment's blank is how many
// come right before it. In an order other than LRU all blank blocks come first.
type freeQueue struct {
	table *blockTable
	segmentList
	order  Order
	levels rankLevels // empty in LRU order
	// loose is how many blank blocks belong to no segment: those after the last one in
	// LRU order, otherwise all.
	loose int
	// free is how many blocks are free, blank how many of those have no content. changes
	// counts what has come into the queue, has left it or has lost its content.
	free, blank int
	changes     uint64
	// anonymous says that blocks have come whose content cannot be found.
	anonymous bool
}

// pushBlank puts n blank blocks at the end of the queue.
func (f *freeQueue) pushBlank(n int) {
	f.loose += n
	f.blank += n
	f.free += n
	f.changes++
}

// pushBlankFront puts n blank blocks at the front of the queue.
func (f *freeQueue) pushBlankFront(n int) {
	if f.order != LRU || f.first == none {
		f.pushBlank(n)
		return
	}
	f.table.segments.all[f.first].blank += int32(n)
	f.blank += n
	f.free += n
	f.changes++
}

// push puts a segment that no sequence holds any more at the end of the queue, or of its
// rank.
func (f *freeQueue) push(at int32) {
	f.changes++
	if f.order != LRU {
		f.pushRanked(at)
		return
	}
	segments := f.table.segments.all
	s := &segments[at]
	f.free += int(s.len())
	if last := f.last; last != none && last == s.next && f.loose == 0 && !f.table.stretches.all[s.stretch].copied {
		f.join(at, last)
		return
	}
	s.blank, f.loose = int32(f.loose), 0
	f.pushBack(segments, at)
}

// pushAnonymous puts n blocks whose content cannot be found at the end of the queue, in LRU
// order.
func (f *freeQueue) pushAnonymous(n int32) {
	f.anonymous = true
	at := f.table.segments.take()
	f.table.segments.all[at] = segment{stretch: none, to: n, previous: none, next: none, tail: none}
	f.push(at)
}

// pushRanked makes a segment the youngest of its rank.
func (f *freeQueue) pushRanked(at int32) {
	segments, ranks := f.table.segments.all, f.table.ranks.of
	s := &segments[at]
	f.free += int(s.len())
	before := f.levels.add(ranks[at], at)
	if before != none && before == s.next && ranks[before] == ranks[at] && !f.table.stretches.all[s.stretch].copied {
		f.join(at, before)
		return
	}
	s.before, s.after = before, f.first
	if before != none {
		s.after = segments[before].after
	}
	f.link(segments, at)
}

// join merges a freed segment with the next one of its stretch, which would be right
// before it in the queue and takes its place there.
func (f *freeQueue) join(at, next int32) {
	segments := f.table.segments.all
	s, n := &segments[at], &segments[next]
	s.to = n.to
	s.blank, s.before, s.after = n.blank, n.before, n.after
	f.link(segments, at)
	f.table.detach(next)
}

// remove takes a segment out of the queue. The blank blocks before it stay in place.
func (f *freeQueue) remove(at int32) {
	segments := f.table.segments.all
	s := &segments[at]
	if f.order != LRU {
		f.leaveLevel(at)
	}
	f.unlink(segments, at)
	if s.after == none {
		f.loose += int(s.blank)
	} else {
		segments[s.after].blank += s.blank
	}
	s.blank = 0
	f.free -= int(s.len())
	f.changes++
}

// leaveLevel updates the levels for a segment that leaves the queue.
func (f *freeQueue) leaveLevel(at int32) {
	ranks := f.table.ranks.of
	older := f.table.segments.all[at].before
	if older != none && ranks[older] != ranks[at] {
		older = none
	}
	f.levels.remove(ranks[at], at, older)
}

// takeLoose takes up to n of the blank blocks that belong to no segment, and returns
// how many. It leaves free to the caller.
func (f *freeQueue) takeLoose(n int) int {
	n = min(n, f.loose)
	f.loose -= n
	f.blank -= n
	return n
}

// takeBlank takes up to n of the blank blocks before the first segment, and returns how
// many. It leaves free to the caller.
func (f *freeQueue) takeBlank(n int) int {
	s := &f.table.segments.all[f.first]
	n = min(n, int(s.blank))
	s.blank -= int32(n)
	f.blank -= n
	return n
}

// emptyFront makes up to n blocks of the first segment blank in the counts of the
// queue, and returns how many. Their place in the queue stays.
func (f *freeQueue) emptyFront(n int) int {
	s := &f.table.segments.all[f.first]
	n = min(n, int(s.len()))
	if f.order == LRU {
		s.blank += int32(n)
	} else {
		f.loose += n
	}
	f.blank += n
	f.changes++
	return n
}
