// SPDX-License-Identifier: Apache-2.0

package prefix

import (
	"windtunnel.dev/windtunnel/pkg/policy/epp/internal/hashtable"
	"windtunnel.dev/windtunnel/pkg/prompt"
)

// An Index remembers which endpoints may hold which blocks, a stretch at a
// time: for each stretch the ranges of its blocks that an endpoint holds, and
// for each endpoint a list of its ranges by recency, of bounded length in
// blocks, whose overflow takes them off the stretch.
//
// A prompt thus costs a few look-ups, however long it is, and what it leaves
// behind a few records. Most stretches have one holder or few, whose ranges are
// one list; those with many, such as a system prompt, have a list for each
// endpoint and bit sets of those that hold all of it.
type Index struct {
	endpoints int

	cells    []cell          // of stretches, the first of which is the root, and ranges
	freeCell int32           // begins the list of those that may be used again
	slots    hashtable.Table // ID → stretch, see heldStretch
	wide     wideStretches
	recency  []recencyList // by endpoint
	// narrow is how many ranges a stretch has at most before it is wide. With a
	// quarter of them it is no longer.
	narrow int32

	// found are the leading stretches that the last match came to and knew, and
	// unknown says that it knew the next one not to be there.
	found   []int32
	unknown bool
	held    []int32 // of the match under way
}

// none stands for no cell.
const none = -1

// NewIndex makes an index of the given number of endpoints that knows of no block.
func NewIndex(endpoints int) *Index {
	x := &Index{
		endpoints: endpoints,
		cells:     []cell{{held: newHeldStretch(0, none), own: blockRange{stretch: none}}},
		freeCell:  none,
		wide:      newWideStretches(endpoints),
		recency:   make([]recencyList, endpoints),
		// A wide stretch takes up some 4 bytes an endpoint, a range 64.
		narrow: int32(max(4, endpoints/16)),
	}
	x.slots.KeyOf = func(slot int32) uint64 { return x.cells[slot].held.id }
	for e := range x.recency {
		x.recency[e] = recencyList{newest: none, oldest: none}
	}
	return x
}

// Match counts, for each endpoint, the blocks of the chain that it may hold, and appends those
// that hold some to held. blocks must be 0 for all endpoints before. It ends at the first block
// that no endpoint holds; up to there an endpoint also gets credit for what follows a block that
// it lacks. Nothing becomes more recent.
func (x *Index) Match(chain []prompt.Stretch, blocks []int, held []int32) []int32 {
	x.held = held
	x.match(chain, blocks)
	return x.held
}

func (x *Index) match(chain []prompt.Stretch, blocks []int) {
	x.found, x.unknown = x.found[:0], false
	slot := int32(root)
	for _, s := range chain {
		if slot = x.childOf(slot, s.ID); slot == none {
			x.unknown = true
			return
		}
		x.found = append(x.found, slot)
		if x.credit(slot, s.Blocks, blocks) < s.Blocks {
			return
		}
	}
}

// credit adds to each endpoint the blocks that it holds of the stretch's first
// n, up to the first one that no endpoint holds, and returns how many that are.
func (x *Index) credit(slot, n int32, blocks []int) int32 {
	s := &x.cells[slot].held
	if s.wide != none {
		return x.creditWide(s.wide, n, blocks)
	}
	covered := int32(0)
	for grown := true; grown && covered < n; {
		covered, grown = x.cover(s.first, covered, n)
	}
	x.creditRanges(s.first, covered, blocks)
	return covered
}

// cover goes through a list of ranges once and returns how far it covers the
// blocks up to n without a gap, covered of them being so already.
func (x *Index) cover(first, covered, n int32) (to int32, grown bool) {
	to = covered
	for i := first; i != none && to < n; i = x.cells[i].own.next {
		if r := &x.cells[i].own; r.from <= to && r.to > to {
			to = min(r.to, n)
		}
	}
	return to, to > covered
}

// creditRanges adds a list of ranges to their endpoints, up to block n.
func (x *Index) creditRanges(first, n int32, blocks []int) {
	for i := first; i != none; i = x.cells[i].own.next {
		if r := &x.cells[i].own; r.from < n {
			x.creditOne(r.endpoint, int(min(r.to, n)-r.from), blocks)
		}
	}
}

// creditOne adds n blocks, at least one, to an endpoint.
func (x *Index) creditOne(endpoint int32, n int, blocks []int) {
	if blocks[endpoint] == 0 {
		x.held = append(x.held, endpoint)
	}
	blocks[endpoint] += n
}

// Find looks a chain up again after it was inserted, so that it can be inserted
// for another endpoint.
func (x *Index) Find(chain []prompt.Stretch) {
	x.found, x.unknown = x.found[:0], false
	slot := int32(root)
	for _, s := range chain {
		slot = x.childOf(slot, s.ID)
		x.found = append(x.found, slot)
	}
}

// Insert makes the blocks of the chain that was matched last the endpoint's
// most recent ones, in order, and after them own blocks that no chain has. The
// capacity only counts the first time.
//
// The EPP first puts all blocks into the list and then all into the table, and
// so does this: when a chain is longer than the list, its first blocks leave
// the list at once, but stay in the table as ghosts, until they enter the list
// again and leave it again.
func (x *Index) Insert(chain []prompt.Stretch, own, endpoint, capacity int) {
	if len(chain) == 0 && own == 0 {
		return
	}
	list := &x.recency[endpoint]
	if list.capacity == 0 {
		list.capacity = capacity
	}
	blocks, slot := own, int32(root)
	for i, s := range chain {
		switch {
		case i < len(x.found):
			slot = x.found[i]
		case x.unknown: // and so are those after it
			slot = x.newChild(slot, s.ID)
		default:
			slot = x.makeChild(slot, s.ID)
		}
		x.renew(slot, int32(endpoint), s.Blocks)
		blocks += int(s.Blocks)
	}
	if own > 0 {
		x.addNameless(list, int32(endpoint), int32(own))
	}
	if excess := list.length - list.capacity; excess > 0 {
		ghosts := max(0, blocks-list.capacity)
		x.forget(list, excess-ghosts)
		x.makeGhosts(list, ghosts)
	}
}

// Full returns how many blocks the list of an endpoint holds, if that is as many as it may: what is
// inserted then takes others off it. Else it is 0.
func (x *Index) Full(endpoint int) int {
	if list := &x.recency[endpoint]; list.length == list.capacity {
		return list.length
	}
	return 0
}

// ForgetEndpoint takes all blocks in an endpoint's list off it and off their
// stretches. Ghosts stay.
func (x *Index) ForgetEndpoint(endpoint int) {
	list := &x.recency[endpoint]
	x.forget(list, list.length)
	list.capacity = 0
}

// renew makes the first n blocks of a stretch the endpoint's most recent ones,
// and cuts them off the ranges that had them.
func (x *Index) renew(slot, endpoint, n int32) {
	list := &x.recency[endpoint]
	s := &x.cells[slot].held
	renewed := int32(none)
	for link := x.head(s, endpoint); *link != none; {
		i := *link
		r := &x.cells[i].own
		if r.endpoint != endpoint || r.from >= n {
			link = &r.next
			continue
		}
		if r.to > n {
			x.cut(list, r, n)
			link = &r.next
			continue
		}
		if r.newer != ghost {
			x.unlink(list, i)
		}
		if renewed == none {
			renewed = i
			link = &r.next
			continue
		}
		*link = r.next
		s.ranges--
		x.removeRange(i)
	}
	if renewed == none {
		renewed = x.newRange(slot, endpoint, n)
		s = &x.cells[slot].held
	}
	r := &x.cells[renewed].own
	r.from, r.to = 0, n
	x.pushNewest(list, renewed)
	if s.wide != none {
		x.wide.favour(s.wide, n)
		x.classify(s.wide, endpoint)
	}
}

// forget takes the endpoint's oldest n blocks off the list and their stretches.
func (x *Index) forget(list *recencyList, n int) {
	for n > 0 {
		i := list.oldest
		r := &x.cells[i].own
		if size := int(r.to - r.from); size <= n {
			n -= size
			x.unlink(list, i)
			x.drop(i)
			continue
		}
		x.cut(list, r, r.from+int32(n))
		x.reclassify(r)
		return
	}
}

// makeGhosts takes the endpoint's oldest n blocks off the list only.
func (x *Index) makeGhosts(list *recencyList, n int) {
	for n > 0 {
		i := list.oldest
		r := x.cells[i].own
		if r.stretch == nameless {
			x.forget(list, n) // there is no table of them to stay in
			return
		}
		if size := int(r.to - r.from); size <= n {
			n -= size
			x.unlink(list, i)
			x.cells[i].own.newer = ghost
			continue
		}
		at := r.from + int32(n)
		x.cut(list, &x.cells[i].own, at)
		left := x.newRange(r.stretch, r.endpoint, at)
		x.cells[left].own.from, x.cells[left].own.to, x.cells[left].own.newer = r.from, at, ghost
		x.reclassify(&x.cells[i].own)
		return
	}
}
