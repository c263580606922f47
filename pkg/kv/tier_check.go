// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"fmt"
	"slices"
)

// Check reports a broken invariant: places present, pending and free add up; stretches
// hold segments in order, and are found under their identity; the queue holds the
// segments that are evictable, by rank; and pins and reservations account for all
// others. It costs a walk over all records.
func (t *Tier) Check() error {
	pins, pending, err := t.checkHolds()
	if err != nil {
		return err
	}
	present, evictable, err := t.table.check(pins, pending)
	if err != nil {
		return err
	}
	if present != t.present || evictable != t.queue.blocks || t.Used() > t.blocks || t.pending < 0 {
		return fmt.Errorf("kv: %d blocks present, %d pending, %d evictable, of %d; there are %d and %d",
			t.present, t.pending, t.queue.blocks, t.blocks, present, evictable)
	}
	return t.queue.check()
}

// check walks all stretches and returns how many blocks are present, and how many of
// those are evictable.
func (t *tierTable) check(pins map[int32]int32, pending map[int32]bool) (present, evictable int, err error) {
	stretches, segments := 0, 0
	for _, slot := range t.index.slots {
		if slot.value == 0 {
			continue
		}
		at := slot.value - 1
		stretches++
		if s := &t.stretches.all[at]; t.find(s.id) != at || s.first == none {
			return 0, 0, fmt.Errorf("kv: stretch %d of a tier is empty, or not found under its identity", at)
		}
		end, last := int32(0), int32(none)
		for i := t.stretches.all[at].first; i != none; i = t.segments.all[i].next {
			s := &t.segments.all[i]
			switch {
			case s.stretch != at || s.previous != last || s.from < end || s.len() <= 0:
				return 0, 0, fmt.Errorf("kv: segment %d of blocks %d to %d is not in place in stretch %d of a tier", i, s.from, s.to, at)
			case s.pending != pending[i] || s.pins != pins[i]:
				return 0, 0, fmt.Errorf("kv: segment %d of a tier has %d pins, pending %v; accounted for are %d, %v", i, s.pins, s.pending, pins[i], pending[i])
			}
			if !s.pending {
				present += int(s.len())
			}
			if s.evictable() {
				evictable += int(s.len())
			}
			segments++
			end, last = s.to, i
		}
		if last != t.stretches.all[at].last {
			return 0, 0, fmt.Errorf("kv: stretch %d of a tier ends with segment %d, not %d", at, t.stretches.all[at].last, last)
		}
	}
	if stretches != t.stretches.len() || segments != t.segments.len() {
		return 0, 0, fmt.Errorf("kv: %d stretches of a tier with %d segments, %d and %d are found", t.stretches.len(), t.segments.len(), stretches, segments)
	}
	return present, evictable, nil
}

// checkHolds returns how often each segment is pinned, and which are pending.
func (t *Tier) checkHolds() (pins map[int32]int32, pending map[int32]bool, err error) {
	pins, pending = map[int32]int32{}, map[int32]bool{}
	for _, pin := range t.pins.all {
		for _, part := range pin.parts {
			for i := t.table.stretches.all[part.stretch].first; i != none; i = t.table.segments.all[i].next {
				if s := &t.table.segments.all[i]; s.from < part.to && part.from < s.to {
					pins[i]++
				}
			}
		}
	}
	blocks := 0
	for _, r := range t.reservations.all {
		for _, at := range r.segments {
			pending[at] = true
			blocks += int(t.table.segments.all[at].len())
		}
	}
	if blocks != t.pending {
		return nil, nil, fmt.Errorf("kv: %d blocks are reserved, counted %d", blocks, t.pending)
	}
	return pins, pending, nil
}

// check walks the queue.
func (q *tierQueue) check() error {
	blocks, last := 0, int32(none)
	levels := rankLevels{}
	for at := q.first; at != none; at = q.table.segments.all[at].after {
		s := &q.table.segments.all[at]
		if s.before != last || !s.evictable() {
			return fmt.Errorf("kv: segment %d follows %d in the queue of a tier, but does not name it, or is not evictable", at, last)
		}
		if last == none || q.table.segments.all[last].rank != s.rank {
			levels = append(levels, rankLevel{rank: s.rank})
		}
		levels[len(levels)-1].youngest = at
		blocks += int(s.len())
		last = at
	}
	if last != q.last || blocks != q.blocks {
		return fmt.Errorf("kv: the queue of a tier ends with segment %d, not %d, and has %d blocks, not %d", last, q.last, blocks, q.blocks)
	}
	if !slices.Equal(levels, q.levels) || !slices.IsSortedFunc(levels, compareRanks) {
		return fmt.Errorf("kv: the queue of a tier has the levels %v, said to be %v", levels, q.levels)
	}
	return nil
}
