// SPDX-License-Identifier: Apache-2.0

package prefix

// A blockRange is one endpoint's memory of consecutive blocks of a stretch, as
// recent as each other. Ranges of one endpoint do not overlap.
type blockRange struct {
	stretch, endpoint int32 // stretch is none where there is no range, or nameless
	from, to          int32 // blocks [from, to)
	// newer and older are neighbours in the endpoint's list; in newer, ghost
	// marks a range that is in no list.
	newer, older int32
	next         int32 // another range of the stretch, or a free cell
}

const ghost = -2

// nameless is the stretch of ranges that no chain has: they only take places in
// the list.
const nameless = -2

// A recencyList orders an endpoint's ranges; a range's first block is its
// oldest.
type recencyList struct {
	newest, oldest int32
	length         int // blocks
	capacity       int // blocks; 0 until first use
}

// head is where the list begins that holds the endpoint's ranges of a stretch,
// among others if the stretch is not wide.
func (x *Index) head(s *heldStretch, endpoint int32) *int32 {
	if s.wide == none {
		return &s.first
	}
	return x.wide.head(s.wide, endpoint)
}

// newRange adds a range to a stretch, of which n blocks are being inserted. It
// is in no list.
func (x *Index) newRange(slot, endpoint, n int32) int32 {
	i := slot
	if x.cells[slot].own.stretch != none {
		i = x.takeCell()
	}
	s := &x.cells[slot].held
	if s.wide == none && s.ranges == x.narrow {
		x.widen(s, n)
	}
	s.ranges++
	head := x.head(s, endpoint)
	x.cells[i].own = blockRange{stretch: slot, endpoint: endpoint, next: *head}
	*head = i
	return i
}

// addNameless makes n blocks that no chain has the endpoint's most recent ones.
func (x *Index) addNameless(list *recencyList, endpoint, n int32) {
	i := x.takeCell()
	x.cells[i].own = blockRange{stretch: nameless, endpoint: endpoint, to: n}
	x.pushNewest(list, i)
}

// drop takes a range that is in no list off its stretch.
func (x *Index) drop(i int32) {
	r := x.cells[i].own
	if r.stretch == nameless {
		x.removeRange(i)
		return
	}
	s := &x.cells[r.stretch].held
	link := x.head(s, r.endpoint)
	for *link != i {
		link = &x.cells[*link].own.next
	}
	*link = r.next
	x.removeRange(i)
	s.ranges--
	if s.wide != none {
		x.classify(s.wide, r.endpoint)
		if s.ranges <= x.narrow/4 {
			x.narrowDown(s)
		}
	}
	x.prune(r.stretch)
}

// removeRange takes a range that nothing refers to out of its cell.
func (x *Index) removeRange(i int32) {
	r := &x.cells[i].own
	elsewhere := r.stretch != i
	r.stretch = none
	if elsewhere {
		x.giveCell(i)
	}
}

// cut takes the blocks before at off a range, and off the list if it is there.
func (x *Index) cut(list *recencyList, r *blockRange, at int32) {
	if r.newer != ghost {
		list.length -= int(at - r.from)
	}
	r.from = at
}

func (x *Index) pushNewest(list *recencyList, i int32) {
	r := &x.cells[i].own
	r.newer, r.older = none, list.newest
	if list.newest != none {
		x.cells[list.newest].own.newer = i
	} else {
		list.oldest = i
	}
	list.newest = i
	list.length += int(r.to - r.from)
}

func (x *Index) unlink(list *recencyList, i int32) {
	r := &x.cells[i].own
	if r.newer != none {
		x.cells[r.newer].own.older = r.older
	} else {
		list.newest = r.older
	}
	if r.older != none {
		x.cells[r.older].own.newer = r.newer
	} else {
		list.oldest = r.newer
	}
	list.length -= int(r.to - r.from)
}
