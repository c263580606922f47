// SPDX-License-Identifier: Apache-2.0

package epp

// A blockRange is one endpoint's memory of consecutive blocks of a stretch, as
// recent as each other. Ranges of one endpoint do not overlap.
type blockRange struct {
	stretch, endpoint int32
	from, to          int32 // blocks [from, to)
	// newer and older are neighbours in the endpoint's list; in newer, ghost
	// marks a range that is in no list.
	newer, older int32
	next         int32 // another range of the stretch, or a free one
}

const ghost = -2

// A recencyList orders an endpoint's ranges; a range's first block is its
// oldest.
type recencyList struct {
	newest, oldest int32
	length         int // blocks
	capacity       int // blocks; 0 until first use
}

// head is where the list begins that holds the endpoint's ranges of a stretch,
// among others if the stretch is not wide.
func (x *prefixIndex) head(s *heldStretch, endpoint int32) *int32 {
	if s.wide == none {
		return &s.first
	}
	return x.wide.head(s.wide, endpoint)
}

// newRange adds a range to a stretch, of which n blocks are being inserted. It
// is in no list.
func (x *prefixIndex) newRange(slot, endpoint, n int32) int32 {
	i := x.freeRange
	if i != none {
		x.freeRange = x.ranges[i].next
	} else {
		i = int32(len(x.ranges))
		x.ranges = append(x.ranges, blockRange{})
	}
	s := &x.stretches[slot]
	if s.wide == none && s.ranges == x.narrow {
		x.widen(s, n)
	}
	s.ranges++
	head := x.head(s, endpoint)
	x.ranges[i] = blockRange{stretch: slot, endpoint: endpoint, next: *head}
	*head = i
	return i
}

// drop takes a range that is in no list off its stretch.
func (x *prefixIndex) drop(i int32) {
	r := x.ranges[i]
	s := &x.stretches[r.stretch]
	link := x.head(s, r.endpoint)
	for *link != i {
		link = &x.ranges[*link].next
	}
	*link = r.next
	x.freeOf(i)
	s.ranges--
	if s.wide != none {
		x.classify(s.wide, r.endpoint)
	}
	if s.ranges == 0 {
		x.narrowDown(s)
		x.prune(r.stretch)
	}
}

// freeOf gives a range back.
func (x *prefixIndex) freeOf(i int32) {
	x.ranges[i].next = x.freeRange
	x.freeRange = i
}

// cut takes the blocks before at off a range, and off the list if it is there.
func (x *prefixIndex) cut(list *recencyList, r *blockRange, at int32) {
	if r.newer != ghost {
		list.length -= int(at - r.from)
	}
	r.from = at
}

func (x *prefixIndex) pushNewest(list *recencyList, i int32) {
	r := &x.ranges[i]
	r.newer, r.older = none, list.newest
	if list.newest != none {
		x.ranges[list.newest].newer = i
	} else {
		list.oldest = i
	}
	list.newest = i
	list.length += int(r.to - r.from)
}

func (x *prefixIndex) unlink(list *recencyList, i int32) {
	r := &x.ranges[i]
	if r.newer != none {
		x.ranges[r.newer].older = r.older
	} else {
		list.newest = r.older
	}
	if r.older != none {
		x.ranges[r.older].newer = r.newer
	} else {
		list.oldest = r.newer
	}
	list.length -= int(r.to - r.from)
}
