// SPDX-License-Identifier: Apache-2.0

package kv

// stretchChildren is the tree of stretches from parents to children: of each stretch a
// list of those that follow it in some prompt. It is kept from the first Discard on:
// no other call needs it.
type stretchChildren struct{ links []childLinks }

// childLinks is the first child of a stretch, and its neighbours among its parent's
// children.
type childLinks struct{ first, next, previous int32 }

func (c *stretchChildren) tracked() bool { return c.links != nil }

// add puts one of all stretches among the children of its parent, or nowhere if that
// is none.
func (c *stretchChildren) add(at, parent int32, stretches int) {
	for len(c.links) < stretches {
		c.links = append(c.links, childLinks{none, none, none})
	}
	l := &c.links[at]
	l.next, l.previous = none, none
	if parent == none {
		return
	}
	p := &c.links[parent]
	l.next = p.first
	if l.next != none {
		c.links[l.next].previous = at
	}
	p.first = at
}

// remove takes a stretch off the children of its parent.
func (c *stretchChildren) remove(at, parent int32) {
	l := &c.links[at]
	switch {
	case l.previous != none:
		c.links[l.previous].next = l.next
	case parent != none:
		c.links[parent].first = l.next
	}
	if l.next != none {
		c.links[l.next].previous = l.previous
	}
}
