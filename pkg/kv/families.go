// SPDX-License-Identifier: Apache-2.0

package kv

// family is the children of a stretch, a list that goes on in sibling, and its
// own place in such a list. Families are kept from the first Discard on: nothing
// else asks for them.
type family struct{ children, sibling, elder int32 }

// keepFamilies begins to keep families, if nobody has.
func (c *Cache) keepFamilies() {
	if c.families != nil {
		return
	}
	c.families = make([]family, 0, len(c.stretches.all)+1)
	for i := range c.index.slots {
		for at := c.index.slots[i].value - 1; at != none; at = c.stretches.all[at].child {
			c.adopt(at)
		}
	}
}

// adopt puts a stretch among its parent's children.
func (c *Cache) adopt(at int32) {
	for len(c.families) < len(c.stretches.all) {
		c.families = append(c.families, family{none, none, none})
	}
	f := &c.families[at]
	*f = family{f.children, none, none}
	parent := c.stretches.all[at].parent
	if parent == none {
		return
	}
	p := &c.families[parent]
	f.sibling = p.children
	if f.sibling != none {
		c.families[f.sibling].elder = at
	}
	p.children = at
}

// orphan takes a stretch off the list of its parent's children.
func (c *Cache) orphan(at int32) {
	f := &c.families[at]
	parent := c.stretches.all[at].parent
	switch {
	case f.elder != none:
		c.families[f.elder].sibling = f.sibling
	case parent != none:
		c.families[parent].children = f.sibling
	}
	if f.sibling != none {
		c.families[f.sibling].elder = f.elder
	}
}
