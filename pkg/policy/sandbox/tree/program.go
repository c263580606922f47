// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
)

// A program is a tree in a simulation: trees keep nothing, so it is the same in all.
type program struct{ code *Code }

// Run implements [sandbox.Program].
func (p program) Run(f *sandbox.Frame, answer []float64) *policy.Fault {
	for row := range answer {
		answer[row] = p.code.answer(f, row)
	}
	fault := sandbox.Check(p.code.layout.Answer, answer)
	if fault != nil {
		fault.Component = string(p.code.layout.Component)
	}
	return fault
}

// answer goes from the root to a leaf.
func (c *Code) answer(f *sandbox.Frame, row int) float64 {
	width := c.layout.Columns()
	n := &c.nodes[0]
	for !n.leaf {
		if n.compare.holds(n.field.of(f, width, row), n.value) {
			n = &c.nodes[n.then]
		} else {
			n = &c.nodes[n.other]
		}
	}
	sum := n.plus
	for i := range n.terms {
		// The product is rounded before it is added, on every architecture.
		sum += float64(n.terms[i].times * n.terms[i].field.of(f, width, row))
	}
	return sum
}

func (c comparison) holds(x, value float64) bool {
	switch c {
	case above:
		return x > value
	case atLeast:
		return x >= value
	case below:
		return x < value
	case atMost:
		return x <= value
	default:
		return x == value
	}
}
