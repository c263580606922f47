// SPDX-License-Identifier: Apache-2.0

package kvtest

import "slices"

// EvictFree makes up to n free blocks forget their identity, those that would be
// reused first.
func (c *Cache) EvictFree(n int) int {
	emptied := 0
	for _, b := range c.free {
		if _, ok := c.identity[b]; ok && emptied < n {
			c.evict(b)
			emptied++
		}
	}
	return emptied
}

// Shared returns how many blocks several sequences hold.
func (c *Cache) Shared() int {
	shared := 0
	for _, references := range c.references {
		if references > 1 {
			shared++
		}
	}
	return shared
}

// SharedBy returns how many of a sequence's blocks others hold too.
func (c *Cache) SharedBy(s *Sequence) int {
	shared := 0
	for _, b := range s.Blocks {
		if c.references[b] > 1 {
			shared++
		}
	}
	return shared
}

// AdmitNeeds returns what Admit would take of the free blocks: fresh ones, and those
// of the cached ones that no sequence holds.
func (c *Cache) AdmitNeeds(a Admission) (fresh, idle int) {
	hits := c.match(a.Chain, a.Cached/c.blockTokens)
	for _, b := range hits {
		if slices.Contains(c.free, b) {
			idle++
		}
	}
	blocks := c.blocks(max(a.Tokens, a.Reserve))
	return blocks - len(hits) + c.Groups*min(blocks, c.WindowBlocks), idle
}
