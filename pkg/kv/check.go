// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"fmt"
	"slices"
)

// Check reports a broken invariant: blocks are free, held by sequences or kept
// by spills, and the three add up; the free queue holds the segments that nobody
// refers to, by rank; each stretch is covered from its first block on, found
// under its identity, and reached from its parent; and sequences and spills
// refer to what they hold. It costs a walk over all records.
func (c *Cache) Check() error {
	free, err := c.checkQueue()
	if err != nil {
		return err
	}
	references, unnamed, err := c.checkSequences()
	if err != nil {
		return err
	}
	if err := c.checkSpills(references); err != nil {
		return err
	}
	held, covered := 0, 0
	for i := range c.index.slots {
		// What is found in the index, and whatever is found as a child from there.
		parent := int32(none)
		for at := c.index.slots[i].value - 1; at != none; at = c.stretches.all[at].child {
			if t := &c.stretches.all[at]; c.find(t.parent, t.id) != at || parent != none && t.parent != parent {
				return fmt.Errorf("kv: stretch %d is not found under its identity", at)
			}
			n, err := c.checkStretch(at, references)
			if err != nil {
				return err
			}
			held += n
			covered++
			parent = at
		}
	}
	switch {
	case covered != c.stretches.len():
		return fmt.Errorf("kv: %d stretches, %d are found", c.stretches.len(), covered)
	case free != c.free:
		return fmt.Errorf("kv: %d blocks in the free queue, counted %d", free, c.free)
	case free+held+unnamed+c.spills.blocks != c.blocks:
		return fmt.Errorf("kv: %d free blocks, %d held ones, %d without a name and %d spilled, of %d",
			free, held, unnamed, c.spills.blocks, c.blocks)
	}
	return nil
}

// checkQueue walks the free queue and returns how many blocks it holds.
func (c *Cache) checkQueue() (int, error) {
	free, blank, last := c.queue.blank, c.queue.blank, int32(none)
	levels := levels{}
	for at := c.queue.first; at != none; at = c.segments.all[at].after {
		s := &c.segments.all[at]
		switch {
		case s.before != last:
			return 0, fmt.Errorf("kv: segment %d follows %d in the free queue, but does not know it", at, last)
		case s.references != 0 || s.len() <= 0 || s.blank < 0:
			return 0, fmt.Errorf("kv: segment %d of %d blocks is in the free queue with %d references", at, s.len(), s.references)
		}
		free += int(s.len() + s.blank)
		blank += int(s.blank)
		if c.order != LRU && (last == none || c.ranks[last] != c.ranks[at]) {
			levels = append(levels, level{rank: c.ranks[at]})
		}
		if c.order != LRU {
			levels[len(levels)-1].youngest = at
		}
		last = at
	}
	if !slices.Equal(levels, c.levels) || !slices.IsSortedFunc(levels, byRank) {
		return 0, fmt.Errorf("kv: the free queue has the levels %v, said to be %v", levels, c.levels)
	}
	if blank != c.blank {
		return 0, fmt.Errorf("kv: %d free blocks have no content, counted %d", blank, c.blank)
	}
	if last != c.queue.last || c.queue.blank < 0 {
		return 0, fmt.Errorf("kv: the free queue ends with segment %d, not %d, and %d blanks", last, c.queue.last, c.queue.blank)
	}
	return free, nil
}

// checkSequences returns how many sequences refer to each segment, and how many
// of their blocks have no name.
func (c *Cache) checkSequences() (references map[int32]int32, unnamed int, err error) {
	references = map[int32]int32{}
	opening := make([]int32, c.blockTokens)
	for i := range c.sequences.all {
		q := &c.sequences.all[i]
		if q.admitted == 0 {
			continue
		}
		tokens := q.tokens
		if q.decoding {
			tokens = int(q.start + c.growth.steps)
			opening[c.opensIn(tokens)]++
		}
		blocks := int32(0)
		for _, h := range q.held {
			blocks += h.blocks
			for at := h.segment; h.blocks > 0; at = c.segments.all[at].rest {
				references[at]++
				h.blocks -= c.segments.all[at].len()
			}
			if h.blocks < 0 {
				return nil, 0, fmt.Errorf("kv: sequence %d holds a part of a segment", i)
			}
		}
		if blocks != q.named {
			return nil, 0, fmt.Errorf("kv: sequence %d holds %d blocks and has named %d", i, blocks, q.named)
		}
		unnamed += c.blocksOf(tokens) - int(blocks)
	}
	for r, n := range opening {
		if n != c.growth.opening[r] {
			return nil, 0, fmt.Errorf("kv: %d sequences open a block in steps %d, counted %d", n, r, c.growth.opening[r])
		}
	}
	return references, unnamed, nil
}

// checkSpills walks what is spilled, and notes which segments it holds.
func (c *Cache) checkSpills(references map[int32]int32) error {
	listed := map[int32]int{}
	last := int32(none)
	for at := c.spills.first; at != none; at = c.segments.all[at].after {
		s := &c.segments.all[at]
		if s.before != last || s.references >= 0 || s.len() <= 0 {
			return fmt.Errorf("kv: segment %d of %d blocks follows %d among the spilled, with %d references", at, s.len(), last, s.references)
		}
		references[at] = s.references
		listed[s.references] += int(s.len())
		last = at
	}
	blocks := 0
	for k, s := range c.spills.each.all {
		if s.open {
			blocks += s.blocks
		}
		if n := listed[spilled(Spill(k))]; n > 0 && !s.open || n > s.blocks {
			return fmt.Errorf("kv: spill %d lists %d blocks of %d", k, n, s.blocks)
		}
	}
	if last != c.spills.last || blocks != c.spills.blocks {
		return fmt.Errorf("kv: spills keep %d blocks, counted %d, and end with segment %d, not %d", blocks, c.spills.blocks, last, c.spills.last)
	}
	return nil
}

// checkStretch returns how many blocks of a stretch are held.
func (c *Cache) checkStretch(at int32, references map[int32]int32) (int, error) {
	t := &c.stretches.all[at]
	if t.first == none && t.grower == none {
		return 0, fmt.Errorf("kv: stretch %d is empty", at)
	}
	if err := c.checkFamily(at); err != nil {
		return 0, err
	}
	held := 0
	covered := map[int32]bool{}
	last, end := int32(none), int32(0)
	for i := t.first; i != none; i = c.segments.all[i].next {
		s := &c.segments.all[i]
		switch {
		case s.previous != last || s.stretch != at || s.len() <= 0:
			return 0, fmt.Errorf("kv: segment %d of %d blocks is not in place in stretch %d", i, s.len(), at)
		case s.references != references[i]:
			return 0, fmt.Errorf("kv: segment %d has %d references, and %d sequences refer to it", i, s.references, references[i])
		case !t.copied && s.from != end:
			return 0, fmt.Errorf("kv: stretch %d has no block %d", at, end)
		}
		if s.references > 0 {
			held += int(s.len())
		}
		for b := s.from; b < s.to; b++ {
			covered[b] = true
		}
		last, end = i, max(end, s.to)
	}
	if last != t.last || end != t.end || len(covered) != int(end) {
		return 0, fmt.Errorf("kv: stretch %d covers %d of its first %d blocks, said to be %d", at, len(covered), end, t.end)
	}
	return held, nil
}

// checkFamily reports that a stretch cannot be reached, or not from its parent.
func (c *Cache) checkFamily(at int32) error {
	t := &c.stretches.all[at]
	if p := t.parent; p != none && t.first != none && c.stretches.all[p].end < t.attached {
		return fmt.Errorf("kv: stretch %d follows block %d of stretch %d, which has %d", at, t.attached, p, c.stretches.all[p].end)
	}
	if c.families == nil {
		return nil
	}
	elder, known := int32(none), t.child == none
	for child := c.families[at].children; child != none; child = c.families[child].sibling {
		if c.stretches.all[child].parent != at || c.families[child].elder != elder {
			return fmt.Errorf("kv: stretch %d is not in place among the children of %d", child, at)
		}
		known = known || child == t.child
		elder = child
	}
	if !known {
		return fmt.Errorf("kv: stretch %d is not among the children of %d", t.child, at)
	}
	return nil
}
