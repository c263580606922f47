// SPDX-License-Identifier: Apache-2.0

package kv

import "math"

// firstRank returns the rank of blocks that a request of some priority has just
// computed.
func (c *Cache) firstRank(priority int) int64 {
	switch c.order {
	case LFU:
		return 1
	case Priority:
		return int64(priority)
	}
	return 0
}

// setRank gives a segment its first rank.
func (c *Cache) setRank(at int32, rank int64) {
	for int(at) >= len(c.ranks) {
		c.ranks = append(c.ranks, 0)
	}
	c.ranks[at] = rank
}

// renew gives a segment that is not in the queue the rank that another use by a
// request of some priority makes of its own.
func (c *Cache) renew(at int32, priority int) {
	switch c.order {
	case LFU:
		c.ranks[at]++
	case Priority:
		c.ranks[at] = max(c.ranks[at], int64(priority))
	}
}

// levelOut gives no block of a sequence a lower rank than one after it has.
// Without copies of blocks none has: whoever used a block used those in front
// of it. With copies a sequence may have held another one of what comes before,
// and the block would be found longer than it can be reached.
func (c *Cache) levelOut(q *sequence) {
	c.scratch = c.scratch[:0]
	for _, h := range q.held {
		for at := h.segment; h.blocks > 0; at = c.segments.all[at].rest {
			c.scratch = append(c.scratch, hold{segment: at})
			h.blocks -= c.segments.all[at].len()
		}
	}
	least := int64(math.MinInt64)
	for i := len(c.scratch) - 1; i >= 0; i-- {
		rank := &c.ranks[c.scratch[i].segment]
		least = max(least, *rank)
		*rank = least
	}
}

// pushRanked makes a segment that nobody holds any more the youngest of its
// rank.
func (c *Cache) pushRanked(at int32) {
	s := &c.segments.all[at]
	c.free += int(s.len())
	behind := c.levels.add(c.ranks[at], at)
	if behind != none && behind == s.next && c.ranks[behind] == c.ranks[at] && !c.stretches.all[s.stretch].copied {
		c.join(at, behind)
		return
	}
	s.before, s.after = behind, c.queue.first
	if behind != none {
		s.after = c.segments.all[behind].after
	}
	c.enqueue(at)
}

// leaveLevel forgets the rank of a segment that leaves the queue.
func (c *Cache) leaveLevel(at int32) {
	older := c.segments.all[at].before
	if older != none && c.ranks[older] != c.ranks[at] {
		older = none
	}
	c.levels.remove(c.ranks[at], at, older)
}
