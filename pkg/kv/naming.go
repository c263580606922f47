// SPDX-License-Identifier: Apache-2.0

package kv

// settle names the blocks that the sequence's tokens fill. Of its chain's
// stretches from absent on it is known that they are not there.
func (c *Cache) settle(at, absent int32) {
	if !c.caching {
		return
	}
	q := &c.sequences.all[at]
	if q.withheld {
		return
	}
	full := int32(q.tokens / c.blockTokens)
	for q.named < full && int(q.at) < len(q.chain) {
		if q.current == none && q.at >= absent {
			q.current = c.create(q)
		} else if q.current == none {
			q.current = c.open(q)
		}
		if grower := c.stretches.all[q.current].grower; grower != at {
			c.disturb(q.current)
		}
		n := min(full-q.named, q.chain[q.at].Blocks-q.into)
		c.name(q, q.current, n)
		q.advance(n)
	}
}

// name gives the sequence's next n blocks their name. Those of which there is a
// copy already make a segment of their own.
func (c *Cache) name(q *sequence, stretch, n int32) {
	from, to := q.into, q.into+n
	rank := c.firstRank(q.priority)
	if end := c.stretches.all[stretch].end; from < end {
		middle := min(end, to)
		q.held = append(q.held, hold{c.append(stretch, from, middle, rank), middle - from})
		from = middle
	}
	if from == to {
		return
	}
	if c.watcher != nil {
		c.watcher.BlocksStored(c.stretches.all[stretch].id, from, to)
	}
	if c.lengthen(q, stretch, from, to, rank) {
		return
	}
	q.held = append(q.held, hold{c.append(stretch, from, to, rank), to - from})
}

// lengthen adds the blocks [from, to) to the sequence's last segment, if that
// is its own, ends there and has their rank.
func (c *Cache) lengthen(q *sequence, stretch, from, to int32, rank int64) bool {
	if len(q.held) == 0 {
		return false
	}
	h := &q.held[len(q.held)-1]
	s := &c.segments.all[h.segment]
	if s.stretch != stretch || s.to != from || s.references != 1 || s.len() != h.blocks {
		return false
	}
	if c.order != LRU && c.ranks[h.segment] != rank {
		return false
	}
	s.to = to
	h.blocks += to - from
	c.stretches.all[stretch].end = to
	return true
}
