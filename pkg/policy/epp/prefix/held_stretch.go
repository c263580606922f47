// SPDX-License-Identifier: Apache-2.0

package prefix

// A heldStretch is a stretch of which an endpoint may hold a block, or that such
// a stretch follows in a prompt: what follows a stretch is its child.
//
// Most prompts end in a text of their own, so most stretches have one child or
// none. That one is found through its parent; only those that come when there
// is one already are in the table.
type heldStretch struct {
	id     uint64
	first  int32 // begins the list of all ranges, where wide is none
	wide   int32 // index in wideStretches; none for few ranges
	ranges int32

	parent int32
	child  int32 // the one that is not in the table, or none
	others int32 // how many are
}

// root is the parent of the stretches that prompts begin with.
const root = 0

func newHeldStretch(id uint64, parent int32) heldStretch {
	return heldStretch{id: id, first: none, wide: none, parent: parent, child: none}
}

// childOf finds a child of a stretch, or none.
func (x *Index) childOf(parent int32, id uint64) int32 {
	p := &x.cells[parent].held
	if p.child != none && x.cells[p.child].held.id == id {
		return p.child
	}
	if p.others == 0 {
		return none
	}
	if slot, ok := x.slots.Find(id); ok {
		return slot
	}
	return none
}

// makeChild finds a child of a stretch, or makes one that no endpoint holds.
func (x *Index) makeChild(parent int32, id uint64) int32 {
	if slot := x.childOf(parent, id); slot != none {
		return slot
	}
	return x.newChild(parent, id)
}

// newChild makes a child that is not there yet.
func (x *Index) newChild(parent int32, id uint64) int32 {
	slot := x.takeCell()
	x.cells[slot].held = newHeldStretch(id, parent)
	if p := &x.cells[parent].held; p.child == none {
		p.child = slot
	} else {
		x.slots.Put(id, slot)
		p.others++
	}
	return slot
}

// prune gives a stretch back that no endpoint holds and that has no children, and
// then its parents that are so too.
func (x *Index) prune(slot int32) {
	for slot != root {
		s := &x.cells[slot].held
		if s.ranges > 0 || s.child != none || s.others > 0 {
			return
		}
		parent := s.parent
		if p := &x.cells[parent].held; p.child == slot {
			p.child = none
		} else {
			x.slots.Remove(s.id, slot)
			p.others--
		}
		x.giveCell(slot)
		slot = parent
	}
}
