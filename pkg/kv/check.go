// SPDX-License-Identifier: Apache-2.0

package kv

import "fmt"

// Check reports a broken invariant: a block is either in the free queue or
// referred to, the two add up, and an identity leads to the one block that
// carries it. It costs a walk over all blocks.
func (c *Cache) Check() error {
	if err := c.checkQueue(); err != nil {
		return err
	}
	idle, named := 0, 0
	for b := range c.end() {
		block := &c.blocks[b]
		if block.references < 0 {
			return fmt.Errorf("kv: block %d has %d references", b, block.references)
		}
		if block.references == 0 {
			idle++
		}
		if !block.named {
			continue
		}
		named++
		if found, ok := c.find(block.identity); !ok || found != b {
			return fmt.Errorf("kv: block %d cannot be found under its identity", b)
		}
	}
	if idle != c.free {
		return fmt.Errorf("kv: %d blocks without references, %d in the free queue", idle, c.free)
	}
	if named != c.index.len {
		return fmt.Errorf("kv: %d named blocks, %d identities", named, c.index.len)
	}
	return nil
}

// checkQueue walks the free queue. Links that agree in both directions cannot
// lead through one block twice.
func (c *Cache) checkQueue() error {
	n, last := 0, c.end()
	for b := c.blocks[last].next; ; b = c.blocks[b].next {
		if c.blocks[b].previous != last {
			return fmt.Errorf("kv: block %d follows %d in the free queue, but does not know it", b, last)
		}
		if b == c.end() {
			break
		}
		if c.blocks[b].references != 0 {
			return fmt.Errorf("kv: block %d is in the free queue with %d references", b, c.blocks[b].references)
		}
		last = b
		n++
	}
	if n != c.free {
		return fmt.Errorf("kv: %d blocks in the free queue, counted %d", n, c.free)
	}
	return nil
}
