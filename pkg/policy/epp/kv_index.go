// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy"
)

// A kvIndex knows who holds which blocks, from what it is told: the index of
// llm-d-kv-cache, in memory. Of a block it knows so many entries at most, those
// that were added last. How many blocks there may be is not bounded.
//
// It keeps parts of stretches, not blocks.
type kvIndex struct {
	limit     int // entries of a block
	stretches map[uint64]*kvStretch
	// alone holds, by entry, the list of that one entry.
	alone map[kvEntry][]kvEntry
	parts []kvPart // scratch
}

// kvStretch is what somebody holds of a stretch, in order of its blocks.
type kvStretch struct{ parts []kvPart }

// kvPart is neighbouring blocks with the same entries. Lists of entries are
// shared, and never changed.
type kvPart struct {
	from, to int32
	entries  []kvEntry // the one that was added last at the end
}

// A kvEntry says that an endpoint holds a block, and in what tier or that it is
// only believed to.
type kvEntry uint32

// speculative is the place of blocks that an endpoint is believed to compute, as
// a request was sent there.
const speculative = policy.CacheTiers

const kvPlaces = int(speculative) + 1

func newKVEntry(endpoint int, place policy.CacheTier) kvEntry {
	return kvEntry(endpoint*kvPlaces + int(place))
}

func (e kvEntry) endpoint() int { return int(e) / kvPlaces }

func (e kvEntry) place() int { return int(e) % kvPlaces }

// newKVIndex returns an empty index; no limit is as good as any for 0.
func newKVIndex(limit int) *kvIndex {
	return &kvIndex{limit: limit, stretches: map[uint64]*kvStretch{}, alone: map[kvEntry][]kvEntry{}}
}

// add makes an entry the last one of blocks, whether it was there or not.
func (x *kvIndex) add(b policy.CachedBlocks, entry kvEntry) {
	s := x.stretches[b.Stretch]
	if s == nil {
		s = &kvStretch{}
		x.stretches[b.Stretch] = s
	}
	only := x.only(entry)
	// Most often a sequence goes on whose blocks nobody else has.
	n := len(s.parts)
	switch {
	case n > 0 && s.parts[n-1].to == b.From && slices.Equal(s.parts[n-1].entries, only):
		s.parts[n-1].to = b.To
		return
	case n == 0 || s.parts[n-1].to <= b.From:
		s.parts = append(s.parts, kvPart{b.From, b.To, only})
		return
	}
	x.change(s, b.From, b.To, only, func(entries []kvEntry) []kvEntry { return x.with(entries, entry) })
}

// remove takes an entry off blocks that may have it.
func (x *kvIndex) remove(b policy.CachedBlocks, entry kvEntry) {
	s := x.stretches[b.Stretch]
	if s == nil {
		return
	}
	x.change(s, b.From, b.To, nil, func(entries []kvEntry) []kvEntry { return x.without(entries, entry) })
	if len(s.parts) == 0 {
		delete(x.stretches, b.Stretch)
	}
}

// clear takes an endpoint off all blocks.
func (x *kvIndex) clear(endpoint int) {
	// Each stretch is changed for itself, so the order does not matter.
	for id, s := range x.stretches {
		for place := range kvPlaces {
			entry := newKVEntry(endpoint, policy.CacheTier(place))
			x.change(s, 0, maxBlock, nil, func(entries []kvEntry) []kvEntry { return x.without(entries, entry) })
		}
		if len(s.parts) == 0 {
			delete(x.stretches, id)
		}
	}
}

const maxBlock = 1<<31 - 1

// change replaces the entries of the blocks [from, to) that have some by what
// becomes of them, and those of the others by entries; none are none.
func (x *kvIndex) change(s *kvStretch, from, to int32, others []kvEntry, become func([]kvEntry) []kvEntry) {
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
func (x *kvIndex) put(from, to int32, entries []kvEntry) {
	if from >= to || len(entries) == 0 {
		return
	}
	if n := len(x.parts); n > 0 && x.parts[n-1].to == from && slices.Equal(x.parts[n-1].entries, entries) {
		x.parts[n-1].to = to
		return
	}
	x.parts = append(x.parts, kvPart{from, to, entries})
}

func (x *kvIndex) only(entry kvEntry) []kvEntry {
	list := x.alone[entry]
	if list == nil {
		list = []kvEntry{entry}
		x.alone[entry] = list
	}
	return list
}

// with returns entries with one as the last; the first makes room for it where
// there are too many.
func (x *kvIndex) with(entries []kvEntry, entry kvEntry) []kvEntry {
	if entries[len(entries)-1] == entry {
		return entries
	}
	list := make([]kvEntry, 0, len(entries)+1)
	for _, e := range entries {
		if e != entry {
			list = append(list, e)
		}
	}
	if x.limit > 0 && len(list) == x.limit {
		list = append(list[:0], list[1:]...)
	}
	return append(list, entry)
}

func (x *kvIndex) without(entries []kvEntry, entry kvEntry) []kvEntry {
	at := slices.Index(entries, entry)
	switch {
	case at < 0:
		return entries
	case len(entries) == 2:
		return x.only(entries[1-at])
	}
	list := make([]kvEntry, 0, len(entries)-1)
	return append(append(list, entries[:at]...), entries[at+1:]...)
}
