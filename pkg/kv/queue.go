// SPDX-License-Identifier: Apache-2.0

package kv

// queue is a doubly linked list of blocks in arrays: removal from anywhere,
// no allocation. The entry after the last block is the list's head and tail.
type queue struct {
	next, previous []int32
	len            int
}

// newQueue returns a queue of all blocks in order of their numbers.
func newQueue(blocks int) queue {
	q := queue{next: make([]int32, blocks+1), previous: make([]int32, blocks+1), len: blocks}
	for i := range int32(blocks + 1) {
		q.next[i] = i + 1
		q.previous[i] = i - 1
	}
	q.next[blocks], q.previous[0] = 0, int32(blocks)
	return q
}

func (q *queue) end() int32 { return int32(len(q.next) - 1) }

// front returns the first block. The queue must not be empty.
func (q *queue) front() int32 {
	if q.len == 0 {
		panic("kv: front of an empty queue")
	}
	return q.next[q.end()]
}

func (q *queue) remove(block int32) {
	before, after := q.previous[block], q.next[block]
	q.next[before], q.previous[after] = after, before
	q.len--
}

// push puts a block at the back.
func (q *queue) push(block int32) {
	end := q.end()
	last := q.previous[end]
	q.next[last], q.previous[block] = block, last
	q.next[block], q.previous[end] = end, block
	q.len++
}
