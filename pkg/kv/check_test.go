// SPDX-License-Identifier: Apache-2.0

package kv

import "testing"

func TestCheckFindsWhatIsBroken(t *testing.T) {
	tests := map[string]func(*Cache){
		"a reference too many":         func(c *Cache) { c.blocks[5].references++ },
		"a reference too few":          func(c *Cache) { c.blocks[0].references = -1 },
		"a block lost from the queue":  func(c *Cache) { c.unlink(5); c.free++ },
		"a block that nobody holds":    func(c *Cache) { c.unlink(5) },
		"a held block that is free":    func(c *Cache) { c.pushBack(0) },
		"a link that is not mutual":    func(c *Cache) { c.blocks[6].previous = 3 },
		"a count of free blocks":       func(c *Cache) { c.free-- },
		"an identity that is not kept": func(c *Cache) { c.blocks[0].identity++ },
		"a name that is not indexed":   func(c *Cache) { c.blocks[5].named = true },
		"a block twice in the index":   func(c *Cache) { c.name(1, chainOf(9, 1)[0]) },
	}
	for name, breakIt := range tests {
		t.Run(name, func(t *testing.T) {
			c := New(8, 16, true)
			var a Allocation
			mustExtend(t, c, &a, chainOf(1, 3), 48)
			breakIt(c)
			if c.Check() == nil {
				t.Error("Check is content")
			}
		})
	}
}
