// SPDX-License-Identifier: Apache-2.0

package epp

import "math/bits"

// A prefixIndex remembers which endpoints may hold which blocks: a table from
// block to holders, and for each endpoint a list of its blocks by recency, of
// bounded length, whose overflow takes the endpoint off the table.
//
// Blocks are numbered when they enter the table (slots), holders are bit sets,
// and the lists are linked through one array of nodes, so that a block costs
// one probe of a hash table to match and none to insert.
type prefixIndex struct {
	words int // of a bit set of endpoints

	slots table // identity → slot
	// By slot; freeSlots may be used again.
	identity  []uint64
	holders   []uint64 // words of them a slot
	first     []int32  // a node of the slot, or none
	freeSlots []int32

	nodes     []recencyNode
	freeNodes []int32
	recency   []recencyList // by endpoint

	// found are the slots of the leading blocks that the last match knew.
	found []int32
	// touched are the slots of an insertion, emptied those that it took the
	// last holder from.
	touched, emptied []int32
}

// A recencyNode is one endpoint's memory of one block.
type recencyNode struct {
	slot, endpoint int32
	newer, older   int32 // in the endpoint's list
	next           int32 // another endpoint's node of the slot
}

type recencyList struct {
	newest, oldest int32
	length         int
	capacity       int // 0 until first use
}

const none = -1

func newPrefixIndex(endpoints int) *prefixIndex {
	x := &prefixIndex{words: (endpoints + 63) / 64, recency: make([]recencyList, endpoints)}
	for e := range x.recency {
		x.recency[e] = recencyList{newest: none, oldest: none}
	}
	return x
}

// match counts, for each endpoint, the blocks of the chain that it may hold. It
// ends at the first block that nobody holds; up to there an endpoint also gets
// credit for what follows a block that it lacks. Nothing becomes more recent.
func (x *prefixIndex) match(chain []uint64, blocks []int) {
	clear(blocks)
	x.found = x.found[:0]
	// Neighbouring blocks mostly have the same holders: count runs of them.
	run, start := int32(none), 0
	for i, identity := range chain {
		slot, ok := x.slots.find(identity)
		if !ok {
			break
		}
		x.found = append(x.found, slot)
		if run == none || !x.sameHolders(run, slot) {
			x.credit(run, i-start, blocks)
			run, start = slot, i
		}
	}
	x.credit(run, len(x.found)-start, blocks)
}

func (x *prefixIndex) sameHolders(a, b int32) bool {
	for w := range x.words {
		if x.holders[int(a)*x.words+w] != x.holders[int(b)*x.words+w] {
			return false
		}
	}
	return true
}

// credit adds n blocks to each holder of the slot.
func (x *prefixIndex) credit(slot int32, n int, blocks []int) {
	if slot == none {
		return
	}
	for w := range x.words {
		for set := x.holders[int(slot)*x.words+w]; set != 0; set &= set - 1 {
			blocks[w*64+bits.TrailingZeros64(set)] += n
		}
	}
}

// insert makes the blocks of the chain that was matched last the endpoint's
// most recent ones, in order. The capacity only counts the first time.
//
// The EPP first puts all blocks into the list and then all into the table, and
// so does this: when a chain is longer than the list, its first blocks leave
// the list at once, but stay in the table as ghosts, until they enter the list
// again and leave it again.
func (x *prefixIndex) insert(chain []uint64, endpoint, capacity int) {
	if len(chain) == 0 {
		return
	}
	list := &x.recency[endpoint]
	if list.capacity == 0 {
		list.capacity = capacity
	}
	x.touched, x.emptied = x.touched[:0], x.emptied[:0]
	for i, identity := range chain {
		var slot int32
		if i < len(x.found) {
			slot = x.found[i]
		} else {
			slot = x.slotOf(identity)
		}
		x.touched = append(x.touched, slot)
		x.remember(slot, endpoint)
	}
	for _, slot := range x.touched {
		x.holders[int(slot)*x.words+endpoint/64] |= 1 << (endpoint % 64)
	}
	// Slots were kept until here because they may be among those touched.
	for _, slot := range x.emptied {
		if !x.held(slot) {
			x.release(slot)
		}
	}
}

// remember makes a block the most recent of the endpoint's list.
func (x *prefixIndex) remember(slot int32, endpoint int) {
	list := &x.recency[endpoint]
	node := x.nodeOf(slot, endpoint)
	if node != none {
		x.unlink(list, node)
	} else {
		node = x.newNode(slot, endpoint)
	}
	x.pushNewest(list, node)
	if list.length > list.capacity {
		x.forgetOldest(list)
	}
}

// nodeOf finds the endpoint's node among those of the slot.
func (x *prefixIndex) nodeOf(slot int32, endpoint int) int32 {
	node := x.first[slot]
	for node != none && x.nodes[node].endpoint != int32(endpoint) {
		node = x.nodes[node].next
	}
	return node
}

func (x *prefixIndex) newNode(slot int32, endpoint int) int32 {
	node := int32(len(x.nodes))
	if n := len(x.freeNodes); n > 0 {
		node, x.freeNodes = x.freeNodes[n-1], x.freeNodes[:n-1]
	} else {
		x.nodes = append(x.nodes, recencyNode{})
	}
	x.nodes[node] = recencyNode{slot: slot, endpoint: int32(endpoint), next: x.first[slot]}
	x.first[slot] = node
	return node
}

func (x *prefixIndex) pushNewest(list *recencyList, node int32) {
	n := &x.nodes[node]
	n.newer, n.older = none, list.newest
	if list.newest != none {
		x.nodes[list.newest].newer = node
	} else {
		list.oldest = node
	}
	list.newest = node
	list.length++
}

func (x *prefixIndex) unlink(list *recencyList, node int32) {
	n := &x.nodes[node]
	if n.newer != none {
		x.nodes[n.newer].older = n.older
	} else {
		list.newest = n.older
	}
	if n.older != none {
		x.nodes[n.older].newer = n.newer
	} else {
		list.oldest = n.newer
	}
	list.length--
}

// forgetOldest takes the endpoint's oldest block off the list and the table.
func (x *prefixIndex) forgetOldest(list *recencyList) {
	node := list.oldest
	n := x.nodes[node]
	x.unlink(list, node)
	link := &x.first[n.slot]
	for *link != node {
		link = &x.nodes[*link].next
	}
	*link = n.next
	x.freeNodes = append(x.freeNodes, node)

	x.holders[int(n.slot)*x.words+int(n.endpoint)/64] &^= 1 << (n.endpoint % 64)
	if !x.held(n.slot) {
		x.emptied = append(x.emptied, n.slot)
	}
}

// held reports whether the block has a holder.
func (x *prefixIndex) held(slot int32) bool {
	for _, set := range x.holders[int(slot)*x.words : (int(slot)+1)*x.words] {
		if set != 0 {
			return true
		}
	}
	return false
}

// slotOf finds a block's slot, or makes one without holders.
func (x *prefixIndex) slotOf(identity uint64) int32 {
	next := int32(len(x.identity))
	if n := len(x.freeSlots); n > 0 {
		next = x.freeSlots[n-1]
	}
	slot, added := x.slots.findOrPut(identity, next)
	switch {
	case !added:
	case int(slot) < len(x.identity):
		x.freeSlots = x.freeSlots[:len(x.freeSlots)-1]
		x.identity[slot] = identity
	default:
		x.identity = append(x.identity, identity)
		x.first = append(x.first, none)
		for range x.words {
			x.holders = append(x.holders, 0)
		}
	}
	return slot
}

// release gives a slot without holders back.
func (x *prefixIndex) release(slot int32) {
	x.slots.remove(x.identity[slot])
	x.freeSlots = append(x.freeSlots, slot)
}
