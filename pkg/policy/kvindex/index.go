// SPDX-License-Identifier: Apache-2.0

package kvindex

import (
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy"
)

// A Index knows from events which endpoint holds which blocks: the index of
// llm-d-kv-cache, in memory. Of a block it knows a bounded number of entries, those
// that were added last. How many blocks there may be is not bounded.
//
// It keeps parts of stretches, not blocks.
type Index struct {
	limit     int // entries of a block
	stretches map[uint64]*stretch
	// alone holds, by entry, the list of that one entry; nil where none has been asked for.
	alone [][]entry
	parts []part // scratch
	// free are stretches without blocks: memory for those to come.
	free []*stretch
}

// stretch is what endpoints hold of a stretch, in order of its blocks. Most have one part,
// which lies in first.
type stretch struct {
	parts []part
	first [1]part
}

// part is neighbouring blocks with the same entries. Lists of entries are
// shared, and never changed.
type part struct {
	from, to int32
	entries  []entry // the one that was added last at the end
}

// An entry says that an endpoint holds a block, and in what tier or that it is
// only believed to.
type entry uint32

// Speculative is the place of blocks that an endpoint is believed to compute, as
// a request was sent there. Other places are tiers.
const Speculative = policy.CacheTiers

// Places is how many places there are.
const Places = int(Speculative) + 1

func entryOf(endpoint int, place policy.CacheTier) entry {
	return entry(endpoint*Places + int(place))
}

func (e entry) endpoint() int { return int(e) / Places }

func (e entry) place() int { return int(e) % Places }

// New returns an empty index that keeps a number of entries of a block; 0 is all.
func New(limit int) *Index {
	return &Index{limit: limit, stretches: map[uint64]*stretch{}}
}

// Add says that an endpoint holds blocks in a place, whether it was known or not.
func (x *Index) Add(b policy.CachedBlocks, endpoint int, place policy.CacheTier) {
	added := entryOf(endpoint, place)
	s := x.stretches[b.Stretch]
	if s == nil {
		s = x.newStretch()
		x.stretches[b.Stretch] = s
	}
	only := x.only(added)
	// Most often a sequence goes on whose blocks no other sequence has.
	n := len(s.parts)
	switch {
	case n > 0 && s.parts[n-1].to == b.From && slices.Equal(s.parts[n-1].entries, only):
		s.parts[n-1].to = b.To
		return
	case n == 0 || s.parts[n-1].to <= b.From:
		s.parts = append(s.parts, part{b.From, b.To, only})
		return
	}
	x.change(s, b.From, b.To, only, func(entries []entry) []entry { return x.with(entries, added) })
}

func (x *Index) newStretch() *stretch {
	if len(x.free) == 0 {
		more := make([]stretch, 64)
		for i := range more {
			more[i].parts = more[i].first[:0]
			x.free = append(x.free, &more[i])
		}
	}
	last := len(x.free) - 1
	s := x.free[last]
	x.free = x.free[:last]
	return s
}

// Remove says that an endpoint does not hold blocks in a place, which it may have
// held there.
func (x *Index) Remove(b policy.CachedBlocks, endpoint int, place policy.CacheTier) {
	removed := entryOf(endpoint, place)
	s := x.stretches[b.Stretch]
	if s == nil {
		return
	}
	x.change(s, b.From, b.To, nil, func(entries []entry) []entry { return x.without(entries, removed) })
	x.freeIfEmpty(b.Stretch, s)
}

// freeIfEmpty forgets a stretch without blocks, and keeps its memory.
func (x *Index) freeIfEmpty(id uint64, s *stretch) {
	if len(s.parts) == 0 {
		delete(x.stretches, id)
		x.free = append(x.free, s)
	}
}

// Clear says that an endpoint holds nothing.
func (x *Index) Clear(endpoint int) {
	// Each stretch is changed for itself, so the order does not matter.
	for id, s := range x.stretches {
		for place := range Places {
			removed := entryOf(endpoint, policy.CacheTier(place))
			x.change(s, 0, math.MaxInt32, nil, func(entries []entry) []entry { return x.without(entries, removed) })
		}
		x.freeIfEmpty(id, s)
	}
}

// change replaces the entries of the blocks [from, to) that have some by what
// becomes of them, and those of the others by entries; none are none.
func (x *Index) change(s *stretch, from, to int32, others []entry, become func([]entry) []entry) {
	x.parts = x.parts[:0]
	at := from
	for _, p := range s.parts {
		if p.to <= from || p.from >= to {
			if p.from >= to {
				x.put(at, to, others)
				at = to
			}
			x.put(p.from, p.to, p.entries)
			continue
		}
		x.put(p.from, from, p.entries)
		x.put(at, p.from, others)
		x.put(max(p.from, from), min(p.to, to), become(p.entries))
		x.put(to, p.to, p.entries)
		at = min(p.to, to)
	}
	x.put(at, to, others)
	s.parts = append(s.parts[:0], x.parts...)
}

// put adds a part behind the others, unless it is empty, or to the last one.
func (x *Index) put(from, to int32, entries []entry) {
	if from >= to || len(entries) == 0 {
		return
	}
	if n := len(x.parts); n > 0 && x.parts[n-1].to == from && slices.Equal(x.parts[n-1].entries, entries) {
		x.parts[n-1].to = to
		return
	}
	x.parts = append(x.parts, part{from, to, entries})
}

func (x *Index) only(e entry) []entry {
	if int(e) >= len(x.alone) {
		x.alone = append(x.alone, make([][]entry, int(e)+1-len(x.alone))...)
	}
	if x.alone[e] == nil {
		x.alone[e] = []entry{e}
	}
	return x.alone[e]
}

// with returns entries with one as the last; the first makes room for it where
// there are too many.
func (x *Index) with(entries []entry, added entry) []entry {
	if entries[len(entries)-1] == added {
		return entries
	}
	list := make([]entry, 0, len(entries)+1)
	for _, e := range entries {
		if e != added {
			list = append(list, e)
		}
	}
	if x.limit > 0 && len(list) == x.limit {
		list = append(list[:0], list[1:]...)
	}
	return append(list, added)
}

func (x *Index) without(entries []entry, removed entry) []entry {
	at := slices.Index(entries, removed)
	switch {
	case at < 0:
		return entries
	case len(entries) == 2:
		return x.only(entries[1-at])
	}
	list := make([]entry, 0, len(entries)-1)
	return append(append(list, entries[:at]...), entries[at+1:]...)
}
