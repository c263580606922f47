// SPDX-License-Identifier: Apache-2.0

package kv

// Release frees the sequence's blocks, last one first. Those that other
// sequences hold stay theirs.
func (c *Cache) Release(s Sequence) {
	if c.running(s).decoding {
		c.StopDecode(s)
	}
	c.release(s)
}

// release ends a sequence that is not in decode.
func (c *Cache) release(s Sequence) {
	q := &c.sequences.all[s]
	if unnamed := c.blocksOf(q.tokens) - int(q.named); unnamed > 0 {
		c.pushBlank(unnamed)
	}
	if c.order != LRU {
		c.levelOut(q)
	}
	for i := len(q.held) - 1; i >= 0; i-- {
		c.letGo(q.held[i])
	}
	q.admitted, q.chain = 0, nil
	c.sequences.release(int32(s))
}

// letGo frees the blocks of a hold, last one first.
func (c *Cache) letGo(h hold) {
	if s := &c.segments.all[h.segment]; s.len() == h.blocks {
		c.drop(h.segment)
		return
	}
	c.scratch = c.scratch[:0]
	for at := h.segment; h.blocks > 0; at = c.segments.all[at].rest {
		c.scratch = append(c.scratch, hold{segment: at})
		h.blocks -= c.segments.all[at].len()
	}
	for i := len(c.scratch) - 1; i >= 0; i-- {
		c.drop(c.scratch[i].segment)
	}
}

func (c *Cache) drop(at int32) {
	s := &c.segments.all[at]
	s.references--
	switch s.references {
	case 0:
		c.push(at)
	case 1:
		c.shared -= int(s.len())
	}
}
