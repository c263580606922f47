// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"fmt"
	"slices"
)

// Check reports a broken invariant: places present, pending and free add up;
// shelves hold pieces in order, and are found under their identity; the queue
// holds what is present and not pinned, by rank; and pins and reservations
// account for all others. It costs a walk over all records.
func (s *Tier) Check() error {
	pins, pending, err := s.checkHolds()
	if err != nil {
		return err
	}
	present, evictable, pieces, shelves := 0, 0, 0, 0
	for _, slot := range s.index.slots {
		if slot.value == 0 {
			continue
		}
		at := slot.value - 1
		shelves++
		if t := &s.shelves.all[at]; s.find(t.id) != at || t.first == none {
			return fmt.Errorf("kv: shelf %d is empty, or not found under its identity", at)
		}
		end, last := int32(0), int32(none)
		for i := s.shelves.all[at].first; i != none; i = s.pieces.all[i].next {
			p := &s.pieces.all[i]
			switch {
			case p.shelf != at || p.previous != last || p.from < end || p.len() <= 0:
				return fmt.Errorf("kv: piece %d of blocks %d to %d is not in place on shelf %d", i, p.from, p.to, at)
			case p.pending != pending[i] || p.pins != pins[i]:
				return fmt.Errorf("kv: piece %d has %d pins, pending %v; accounted for are %d, %v", i, p.pins, p.pending, pins[i], pending[i])
			}
			if !p.pending {
				present += int(p.len())
			}
			if p.queued() {
				evictable += int(p.len())
			}
			pieces++
			end, last = p.to, i
		}
		if last != s.shelves.all[at].last {
			return fmt.Errorf("kv: shelf %d ends with piece %d, not %d", at, s.shelves.all[at].last, last)
		}
	}
	switch {
	case shelves != s.shelves.len() || pieces != s.pieces.len():
		return fmt.Errorf("kv: %d shelves with %d pieces, %d and %d are found", s.shelves.len(), s.pieces.len(), shelves, pieces)
	case present != s.present || evictable != s.evictable || s.Used() > s.blocks || s.pending < 0:
		return fmt.Errorf("kv: %d blocks present, %d pending, %d evictable, of %d; there are %d and %d",
			s.present, s.pending, s.evictable, s.blocks, present, evictable)
	}
	return s.checkQueue()
}

// checkHolds returns how often each piece is pinned, and which are pending.
func (s *Tier) checkHolds() (pins map[int32]int32, pending map[int32]bool, err error) {
	pins, pending = map[int32]int32{}, map[int32]bool{}
	for _, pin := range s.pins.all {
		for _, part := range pin.parts {
			for i := s.shelves.all[part.shelf].first; i != none; i = s.pieces.all[i].next {
				if p := &s.pieces.all[i]; p.from < part.to && part.from < p.to {
					pins[i]++
				}
			}
		}
	}
	blocks := 0
	for _, r := range s.reserved.all {
		for _, at := range r.pieces {
			pending[at] = true
			blocks += int(s.pieces.all[at].len())
		}
	}
	if blocks != s.pending {
		return nil, nil, fmt.Errorf("kv: %d blocks are reserved, counted %d", blocks, s.pending)
	}
	return pins, pending, nil
}

// checkQueue walks the queue.
func (s *Tier) checkQueue() error {
	blocks, last := 0, int32(none)
	levels := rankLevels{}
	for at := s.first; at != none; at = s.pieces.all[at].after {
		p := &s.pieces.all[at]
		if p.before != last || !p.queued() {
			return fmt.Errorf("kv: piece %d follows %d in the queue, but does not know it, or cannot be evicted", at, last)
		}
		if last == none || s.pieces.all[last].rank != p.rank {
			levels = append(levels, rankLevel{rank: p.rank})
		}
		levels[len(levels)-1].youngest = at
		blocks += int(p.len())
		last = at
	}
	if last != s.last || blocks != s.evictable {
		return fmt.Errorf("kv: the queue ends with piece %d, not %d, and has %d blocks, not %d", last, s.last, blocks, s.evictable)
	}
	if !slices.Equal(levels, s.levels) || !slices.IsSortedFunc(levels, compareRanks) {
		return fmt.Errorf("kv: the queue has the levels %v, said to be %v", levels, s.levels)
	}
	return nil
}
