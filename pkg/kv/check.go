// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"fmt"
	"slices"
)

// Check reports a broken invariant: blocks are free or held by sequences, and the two
// add up; the free queue holds the segments without references, by
// rank; each stretch is covered from its first block on, found under its identity, and
// reached from its parent; and sequences refer to what they hold. It costs a
// walk over all records.
func (c *Cache) Check() error {
	free, err := c.sequences.pool.queue.check()
	if err != nil {
		return err
	}
	references, unregistered, err := c.sequences.check()
	if err != nil {
		return err
	}
	held, err := c.sequences.pool.table.check(references)
	if err != nil {
		return err
	}
	switch {
	case free != c.sequences.pool.queue.free:
		return fmt.Errorf("kv: %d blocks in the free queue, counted %d", free, c.sequences.pool.queue.free)
	case free+held+unregistered != c.sequences.pool.blocks:
		return fmt.Errorf("kv: %d free blocks, %d held ones and %d unregistered, of %d",
			free, held, unregistered, c.sequences.pool.blocks)
	}
	return nil
}

// check walks all stretches and returns how many blocks sequences hold.
func (t *blockTable) check(references map[int32]int32) (held int, err error) {
	covered := 0
	for i := range t.index.slots {
		// A stretch in the index, and the chain of children that starts there.
		parent := int32(none)
		for at := t.index.slots[i].value - 1; at != none; at = t.stretches.all[at].child {
			if s := &t.stretches.all[at]; t.find(s.parent, s.id) != at || parent != none && s.parent != parent {
				return 0, fmt.Errorf("kv: stretch %d is not found under its identity", at)
			}
			n, err := t.checkStretch(at, references)
			if err != nil {
				return 0, err
			}
			held += n
			covered++
			parent = at
		}
	}
	if covered != t.stretches.len() {
		return 0, fmt.Errorf("kv: %d stretches, %d are found", t.stretches.len(), covered)
	}
	return held, nil
}

// check walks the free queue and returns how many blocks it holds.
func (f *freeQueue) check() (int, error) {
	free, blank, last := f.loose, f.loose, int32(none)
	levels := rankLevels{}
	for at := f.first; at != none; at = f.table.segments.all[at].after {
		s := &f.table.segments.all[at]
		switch {
		case s.before != last:
			return 0, fmt.Errorf("kv: segment %d follows %d in the free queue, but does not know it", at, last)
		case s.references != 0 || s.len() <= 0 || s.blank < 0:
			return 0, fmt.Errorf("kv: segment %d of %d blocks is in the free queue with %d references", at, s.len(), s.references)
		}
		free += int(s.len() + s.blank)
		blank += int(s.blank)
		if f.order != LRU && (last == none || f.table.ranks.of[last] != f.table.ranks.of[at]) {
			levels = append(levels, rankLevel{rank: f.table.ranks.of[at]})
		}
		if f.order != LRU {
			levels[len(levels)-1].youngest = at
		}
		last = at
	}
	if !slices.Equal(levels, f.levels) || !slices.IsSortedFunc(levels, compareRanks) {
		return 0, fmt.Errorf("kv: the free queue has the levels %v, said to be %v", levels, f.levels)
	}
	if blank != f.blank {
		return 0, fmt.Errorf("kv: %d free blocks have no content, counted %d", blank, f.blank)
	}
	if last != f.last || f.loose < 0 {
		return 0, fmt.Errorf("kv: the free queue ends with segment %d, not %d, and %d blanks", last, f.last, f.loose)
	}
	return free, nil
}

// check returns how many sequences refer to each segment, and how many
// of their blocks are not registered.
func (s *sequences) check() (references map[int32]int32, unregistered int, err error) {
	references = map[int32]int32{}
	opening, growing := make([]int32, s.blockTokens), make([]int, s.blockTokens)
	for i := range s.records.all {
		q := &s.records.all[i]
		if q.admitted == 0 {
			continue
		}
		tokens := q.tokens
		if q.decoding {
			tokens = int(q.start + s.decodes.steps)
			opening[s.decodes.opensIn(tokens)]++
			if int(q.window) < s.windows.Blocks {
				growing[s.decodes.opensIn(tokens)]++
			}
		}
		blocks := int32(0)
		for _, h := range q.held {
			blocks += h.blocks
			for at := h.segment; h.blocks > 0; at = s.pool.table.segments.all[at].tail {
				references[at]++
				h.blocks -= s.pool.table.segments.all[at].len()
			}
			if h.blocks < 0 {
				return nil, 0, fmt.Errorf("kv: sequence %d holds a part of a segment", i)
			}
		}
		if blocks != q.registered {
			return nil, 0, fmt.Errorf("kv: sequence %d holds %d blocks and has registered %d", i, blocks, q.registered)
		}
		if want := min(s.blocksOf(tokens), s.windows.Blocks); int(q.window) != want {
			return nil, 0, fmt.Errorf("kv: the windows of sequence %d hold %d blocks, and not %d", i, q.window, want)
		}
		unregistered += s.blocksOf(tokens) + s.windows.Groups*int(q.window) - int(blocks)
	}
	for r, n := range opening {
		if n != s.decodes.opening[r] {
			return nil, 0, fmt.Errorf("kv: %d sequences take a block in steps %d, counted %d", n, r, s.decodes.opening[r])
		}
		if s.decodes.growing != nil && growing[r] != len(s.decodes.growing[r]) {
			return nil, 0, fmt.Errorf("kv: the windows of %d sequences grow in steps %d, counted %d", growing[r], r, len(s.decodes.growing[r]))
		}
	}
	return references, unregistered, nil
}

// checkStretch returns how many blocks of a stretch are held.
func (t *blockTable) checkStretch(at int32, references map[int32]int32) (int, error) {
	s := &t.stretches.all[at]
	if s.first == none && s.claimant == none {
		return 0, fmt.Errorf("kv: stretch %d is empty", at)
	}
	if err := t.checkChildren(at); err != nil {
		return 0, err
	}
	held := 0
	covered := map[int32]bool{}
	last, end := int32(none), int32(0)
	for i := s.first; i != none; i = t.segments.all[i].next {
		g := &t.segments.all[i]
		switch {
		case g.previous != last || g.stretch != at || g.len() <= 0:
			return 0, fmt.Errorf("kv: segment %d of %d blocks is not in place in stretch %d", i, g.len(), at)
		case g.references != references[i]:
			return 0, fmt.Errorf("kv: segment %d has %d references, and %d sequences refer to it", i, g.references, references[i])
		case !s.copied && g.from != end:
			return 0, fmt.Errorf("kv: stretch %d has no block %d", at, end)
		}
		if g.references > 0 {
			held += int(g.len())
		}
		for b := g.from; b < g.to; b++ {
			covered[b] = true
		}
		last, end = i, max(end, g.to)
	}
	if last != s.last || end != s.end || len(covered) != int(end) {
		return 0, fmt.Errorf("kv: stretch %d covers %d of its first %d blocks, said to be %d", at, len(covered), end, s.end)
	}
	return held, nil
}

// checkChildren reports that a stretch cannot be reached, or not from its parent.
func (t *blockTable) checkChildren(at int32) error {
	s := &t.stretches.all[at]
	if p := s.parent; p != none && s.first != none && t.stretches.all[p].end < s.attached {
		return fmt.Errorf("kv: stretch %d follows block %d of stretch %d, which has %d", at, s.attached, p, t.stretches.all[p].end)
	}
	if !t.children.tracked() {
		return nil
	}
	previous, known := int32(none), s.child == none
	for child := t.children.links[at].first; child != none; child = t.children.links[child].next {
		if t.stretches.all[child].parent != at || t.children.links[child].previous != previous {
			return fmt.Errorf("kv: stretch %d is not in place among the children of %d", child, at)
		}
		known = known || child == s.child
		previous = child
	}
	if !known {
		return fmt.Errorf("kv: stretch %d is not among the children of %d", s.child, at)
	}
	return nil
}
