// SPDX-License-Identifier: Apache-2.0

package prefix

import "math/bits"

// wideStretches are the stretches with many holders: a list of ranges for each
// endpoint, and sets that spare a look at most of them.
type wideStretches struct {
	endpoints, words int // words of a bit set of endpoints

	first []int32 // by wide stretch and endpoint
	// whole are endpoints that hold exactly the first blocks of a stretch, as
	// many as blocks says, in one range; part are all other holders.
	whole, part []uint64
	blocks      []int32
	free        []int32
}

func newWideStretches(endpoints int) wideStretches {
	return wideStretches{endpoints: endpoints, words: (endpoints + 63) / 64}
}

func (w *wideStretches) head(wide, endpoint int32) *int32 {
	return &w.first[int(wide)*w.endpoints+int(endpoint)]
}

// take returns a wide stretch without ranges.
func (w *wideStretches) take(blocks int32) int32 {
	if n := len(w.free); n > 0 {
		wide := w.free[n-1]
		w.free = w.free[:n-1]
		w.blocks[wide] = blocks
		return wide
	}
	for range w.endpoints {
		w.first = append(w.first, none)
	}
	for range w.words {
		w.whole, w.part = append(w.whole, 0), append(w.part, 0)
	}
	w.blocks = append(w.blocks, blocks)
	return int32(len(w.blocks) - 1)
}

// favour makes n the length of whole holders, if there are none of another.
func (w *wideStretches) favour(wide, n int32) {
	if w.blocks[wide] != n && !w.anyWhole(wide) {
		w.blocks[wide] = n
	}
}

func (w *wideStretches) anyWhole(wide int32) bool {
	for _, set := range w.set(w.whole, wide) {
		if set != 0 {
			return true
		}
	}
	return false
}

// set is the part of whole or part that is the wide stretch's.
func (w *wideStretches) set(sets []uint64, wide int32) []uint64 {
	return sets[int(wide)*w.words:][:w.words]
}

// widen makes a stretch wide, of which n blocks are being inserted.
func (x *Index) widen(s *heldStretch, n int32) {
	s.wide = x.wide.take(n)
	for i := s.first; i != none; {
		r := &x.cells[i].own
		next := r.next
		head := x.wide.head(s.wide, r.endpoint)
		r.next, *head = *head, i
		x.classify(s.wide, r.endpoint)
		i = next
	}
	s.first = none
}

// narrowDown undoes widen.
func (x *Index) narrowDown(s *heldStretch) {
	w := &x.wide
	heads := w.first[int(s.wide)*w.endpoints:][:w.endpoints]
	for e := range heads {
		for i := heads[e]; i != none; {
			r := &x.cells[i].own
			next := r.next
			r.next, s.first = s.first, i
			i = next
		}
		heads[e] = none
	}
	clear(w.set(w.whole, s.wide))
	clear(w.set(w.part, s.wide))
	w.free = append(w.free, s.wide)
	s.wide = none
}

// reclassify is classify for the holder of a range, if its stretch is wide.
func (x *Index) reclassify(r *blockRange) {
	if r.stretch == nameless {
		return
	}
	if wide := x.cells[r.stretch].held.wide; wide != none {
		x.classify(wide, r.endpoint)
	}
}

// classify brings the sets up to date with the endpoint's ranges.
func (x *Index) classify(wide, endpoint int32) {
	w := &x.wide
	word := int(wide)*w.words + int(endpoint/64)
	bit := uint64(1) << (endpoint % 64)
	w.whole[word] &^= bit
	w.part[word] &^= bit
	i := *w.head(wide, endpoint)
	if i == none {
		return
	}
	if r := &x.cells[i].own; r.next == none && r.from == 0 && r.to == w.blocks[wide] {
		w.whole[word] |= bit
	} else {
		w.part[word] |= bit
	}
}

// creditWide is credit for a wide stretch.
func (x *Index) creditWide(wide, n int32, blocks []int) int32 {
	w := &x.wide
	whole, part := w.set(w.whole, wide), w.set(w.part, wide)
	covered := int32(0)
	if w.anyWhole(wide) {
		covered = min(n, w.blocks[wide])
	}
	for grown := true; grown && covered < n; {
		grown = false
		for e := range members(part) {
			to, more := x.cover(*w.head(wide, e), covered, n)
			covered, grown = to, grown || more
		}
	}
	each := int(min(covered, w.blocks[wide]))
	if each > 0 {
		for e := range members(whole) {
			x.creditOne(e, each, blocks)
		}
	}
	for e := range members(part) {
		x.creditRanges(*w.head(wide, e), covered, blocks)
	}
	return covered
}

// members goes through a bit set of endpoints.
func members(set []uint64) func(yield func(int32) bool) {
	return func(yield func(int32) bool) {
		for i, word := range set {
			for ; word != 0; word &= word - 1 {
				if !yield(int32(i*64 + bits.TrailingZeros64(word))) {
					return
				}
			}
		}
	}
}
