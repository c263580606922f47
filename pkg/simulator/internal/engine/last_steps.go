// SPDX-License-Identifier: Apache-2.0

package engine

// lastSteps are the requests in step by the step that gives them their last token: a binary heap.
// Those that one step ends are in any order, so a comparison of two numbers decides; the heaps of
// package queue call for an order without ties.
type lastSteps []lastStep

type lastStep struct {
	step int64
	id   int32
}

// next is the step that ends a request first. There is a request.
func (l lastSteps) next() int64 { return l[0].step }

// add puts a request in.
func (l *lastSteps) add(step int64, id int32) {
	*l = append(*l, lastStep{step, id})
	h := *l
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if h[parent].step <= step {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = lastStep{step, id}
}

// pop takes a request out that the next step ends.
func (l *lastSteps) pop() int32 {
	h := *l
	first, moved := h[0].id, h[len(h)-1]
	h = h[:len(h)-1]
	*l = h
	i := 0
	for child := 1; child < len(h); child = 2*i + 1 {
		if child+1 < len(h) && h[child+1].step < h[child].step {
			child++
		}
		if h[child].step >= moved.step {
			break
		}
		h[i] = h[child]
		i = child
	}
	if len(h) > 0 {
		h[i] = moved
	}
	return first
}

// remove takes a request out.
func (l *lastSteps) remove(id int32) {
	all := *l
	*l = all[:0]
	for _, other := range all {
		if other.id != id {
			l.add(other.step, other.id)
		}
	}
}
