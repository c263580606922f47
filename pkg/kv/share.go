// SPDX-License-Identifier: Apache-2.0

package kv

// Shared returns how many blocks more than one running sequence holds.
func (c *Cache) Shared() int { return c.shared }

// SharedBy returns how many of the sequence's blocks others hold too.
func (c *Cache) SharedBy(s Sequence) int {
	shared := 0
	for _, h := range c.running(s).held {
		for at := h.segment; h.blocks > 0; at = c.segments.all[at].rest {
			segment := &c.segments.all[at]
			if segment.references > 1 {
				shared += int(segment.len())
			}
			h.blocks -= segment.len()
		}
	}
	return shared
}

// AdmitNeeds returns what Admit would take of the free blocks: fresh ones, and those
// of the sequence's cached ones that nobody holds. Like Admit it comes right
// after Match.
func (c *Cache) AdmitNeeds(a Admission) (fresh, idle int) {
	taken := a.Cached / c.blockTokens
	return c.blocksOf(max(a.Tokens, a.Reserve)) - taken, c.idle(a.Chain, taken)
}
