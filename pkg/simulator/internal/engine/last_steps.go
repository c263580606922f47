// SPDX-License-Identifier: Apache-2.0

package engine

// ends are the requests in step by the step that gives them their last token: a binary heap.
// Those that one step ends are in any order.
type ends []end

type end struct {
	step int64
	id   int32
}

// next is the step that ends a request first. There is a request.
func (e ends) next() int64 { return e[0].step }

// add puts a request in.
func (e *ends) add(step int64, id int32) {
	*e = append(*e, end{step, id})
	h := *e
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if h[parent].step <= step {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = end{step, id}
}

// pop takes a request out that the next step ends.
func (e *ends) pop() int32 {
	h := *e
	first, moved := h[0].id, h[len(h)-1]
	h = h[:len(h)-1]
	*e = h
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
func (e *ends) remove(id int32) {
	all := *e
	*e = all[:0]
	for _, other := range all {
		if other.id != id {
			e.add(other.step, other.id)
		}
	}
}
