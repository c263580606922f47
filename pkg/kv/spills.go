// SPDX-License-Identifier: Apache-2.0

package kv

// Spill is free blocks that keep their content until it has been copied to a tier, by
// number. Numbers are used again after EndSpill.
type Spill int32

// spills is the segments that spills keep, in the order in which they left the free
// queue, and the spills themselves.
type spills struct {
	table *blockTable
	segmentList
	// blocks is how many blocks spills keep, with those that have lost their content.
	blocks  int
	records arena[spill]
}

// spill is one Spill: how many blocks it keeps.
type spill struct {
	open   bool
	blocks int
}

// references returns the reference count that marks the segments of a spill.
func (k Spill) references() int32 { return -1 - int32(k) }

// add puts a segment that is in no list into a spill. It leaves the counts of blocks to
// the caller.
func (s *spills) add(k Spill, at int32) {
	s.table.segments.all[at].references = k.references()
	s.pushBack(s.table.segments.all, at)
}

// reclaim takes a segment that a sequence is about to hold out of its spill.
func (s *spills) reclaim(at int32) {
	r := &s.table.segments.all[at]
	blocks := int(r.len())
	s.records.all[-1-r.references].blocks -= blocks
	s.blocks -= blocks
	s.unlink(s.table.segments.all, at)
	r.references = 0
}

// forgetTo removes the content of all spilled segments up to one, and that one; of none
// for none.
func (s *spills) forgetTo(last int32) {
	for at := int32(none); at != last; {
		at = s.first
		s.unlink(s.table.segments.all, at)
		s.table.forget(at)
	}
}

// end ends a spill and returns how many blocks it still kept. Their content is lost, and
// that of all segments which left the free queue before.
func (s *spills) end(k Spill) (blocks int) {
	p := &s.records.all[k]
	if !p.open {
		panic("kv: a spill has ended already")
	}
	last := s.last
	for last != none && s.table.segments.all[last].references != k.references() {
		last = s.table.segments.all[last].before
	}
	s.forgetTo(last)
	s.blocks -= p.blocks
	p.open = false
	s.records.release(int32(k))
	return p.blocks
}
