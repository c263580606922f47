// SPDX-License-Identifier: Apache-2.0

package kv

import "fmt"

// Check reports a broken invariant: a block is either free or referred to, the
// two add up, and an identity leads to the one block that carries it. It costs
// a walk over all blocks.
func (c *Cache) Check() error {
	free := make([]bool, c.Blocks())
	n := 0
	for block := c.free.next[c.free.end()]; block != c.free.end(); block = c.free.next[block] {
		if free[block] {
			return fmt.Errorf("kv: block %d is twice in the free queue", block)
		}
		free[block] = true
		n++
	}
	if n != c.free.len {
		return fmt.Errorf("kv: %d blocks in the free queue, counted %d", n, c.free.len)
	}
	named := 0
	for block := range c.references {
		if c.references[block] < 0 || free[block] != (c.references[block] == 0) {
			return fmt.Errorf("kv: block %d has %d references, free: %v", block, c.references[block], free[block])
		}
		if !c.named[block] {
			continue
		}
		named++
		if found, ok := c.index.Find(c.identities[block]); !ok || found != int32(block) {
			return fmt.Errorf("kv: block %d cannot be found under its identity", block)
		}
	}
	if named != c.index.Len() {
		return fmt.Errorf("kv: %d named blocks, %d identities", named, c.index.Len())
	}
	return nil
}
