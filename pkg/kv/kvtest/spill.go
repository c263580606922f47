// SPDX-License-Identifier: Apache-2.0

package kvtest

import "slices"

// Spill is blocks that keep their content until it has been copied to a tier.
type Spill struct {
	number int // so that no two are the same
}

// Spilling returns how many blocks spills keep.
func (c *Cache) Spilling() int { return len(c.spillOf) }

// BeginSpill keeps up to n of the free blocks with an identity that would be reused
// first, and returns their identities in that order.
func (c *Cache) BeginSpill(n int) (*Spill, []uint64) {
	c.spills++
	s, ids := &Spill{c.spills}, []uint64{}
	for _, b := range slices.Clone(c.free) {
		if id, ok := c.identity[b]; ok && len(ids) < n {
			c.free = remove(c.free, b)
			c.spilled = append(c.spilled, b)
			c.spillOf[b] = s
			ids = append(ids, id)
		}
	}
	return s, ids
}

// EndSpill frees the blocks that a spill still keeps.
func (c *Cache) EndSpill(s *Spill) {
	last := len(c.spilled)
	for last > 0 && c.spillOf[c.spilled[last-1]] != s {
		last--
	}
	c.forgetSpilled(last)
	for _, b := range c.blocksOf(s) {
		c.freeSpilled(b)
	}
}

// blocksOf returns the blocks that a spill keeps.
func (c *Cache) blocksOf(s *Spill) []int {
	blocks := []int{}
	for b := range c.references {
		if c.spillOf[b] == s {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

// forgetSpilled takes the identities of the first n spilled blocks away.
func (c *Cache) forgetSpilled(n int) {
	for _, b := range c.spilled[:n] {
		c.forget(b)
	}
	c.spilled = slices.Clone(c.spilled[n:])
}

// freeSpilled makes a spilled block without an identity the first to be reused.
func (c *Cache) freeSpilled(b int) {
	delete(c.spillOf, b)
	c.free = slices.Insert(c.free, 0, b)
}
