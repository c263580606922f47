// SPDX-License-Identifier: Apache-2.0

package query

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// operator works out a value of two. A comparison keeps the left value where keep is true.
type operator func(a, b float64) (value float64, keep bool)

var arithmetic = map[string]operator{
	"+": func(a, b float64) (float64, bool) { return a + b, true },
	"-": func(a, b float64) (float64, bool) { return a - b, true },
	"*": func(a, b float64) (float64, bool) { return a * b, true },
	"/": func(a, b float64) (float64, bool) { return a / b, true },
	"%": func(a, b float64) (float64, bool) { return math.Mod(a, b), true },
	"^": func(a, b float64) (float64, bool) { return stats.Pow(a, b), true },
}

var comparisons = map[string]operator{
	"==": func(a, b float64) (float64, bool) { return a, a == b },
	"!=": func(a, b float64) (float64, bool) { return a, a != b },
	">":  func(a, b float64) (float64, bool) { return a, a > b },
	"<":  func(a, b float64) (float64, bool) { return a, a < b },
	">=": func(a, b float64) (float64, bool) { return a, a >= b },
	"<=": func(a, b float64) (float64, bool) { return a, a <= b },
}

// truth makes 1 and 0 of a comparison, as the modifier bool does.
func truth(of operator) operator {
	return func(a, b float64) (float64, bool) {
		if _, keep := of(a, b); keep {
			return 1, true
		}
		return 0, true
	}
}

// withScalar works out a vector and a number. names is nil where the names of metrics stay.
type withScalar struct {
	of      vectorNode
	number  scalarNode
	swapped bool // the number is on the left
	filters bool // a comparison keeps the vector's value
	op      operator
	names   *projection
}

func (n *withScalar) vector(x *evaluation) []element {
	all := n.of.vector(x)
	number := n.number.scalar(x)
	out := all[:0]
	for _, e := range all {
		a, b := e.value, number
		if n.swapped {
			a, b = b, a
		}
		value, keep := n.op(a, b)
		if !keep {
			continue
		}
		if !n.filters {
			e.value = value
		}
		if n.names != nil {
			e.labels = n.names.of(e.labels)
		}
		out = append(out, e)
	}
	return out
}

// ofScalars works out two numbers.
type ofScalars struct {
	left, right scalarNode
	op          operator
}

func (n *ofScalars) scalar(x *evaluation) float64 {
	value, _ := n.op(n.left.scalar(x), n.right.scalar(x))
	return value
}

// ofVectors works out the elements of two vectors that match. An element has one partner.
type ofVectors struct {
	left, right vectorNode
	op          operator
	match       *projection // what partners have in common
	result      *projection // what of the left labels stays
	partners    map[*labels]float64
	out         []element
}

func (n *ofVectors) vector(x *evaluation) []element {
	left, right := n.left.vector(x), n.right.vector(x)
	n.out = n.out[:0]
	if len(left) == 0 || len(right) == 0 {
		return n.out // whatever partners the others have
	}
	clear(n.partners)
	for _, e := range right {
		key := n.match.of(e.labels)
		if _, twice := n.partners[key]; twice {
			x.fail(SeveralPartners)
		}
		n.partners[key] = e.value
	}
	used := map[*labels]bool{}
	for _, e := range left {
		key := n.match.of(e.labels)
		partner, ok := n.partners[key]
		if !ok {
			continue
		}
		value, keep := n.op(e.value, partner)
		if !keep {
			continue
		}
		if used[key] {
			x.fail(SeveralPartners)
		}
		used[key] = true
		n.out = append(n.out, element{n.result.of(e.labels), value})
	}
	return n.out
}

// ofSets is and, or and unless.
type ofSets struct {
	left, right vectorNode
	op          string
	match       *projection
	out         []element
}

func (n *ofSets) vector(x *evaluation) []element {
	left, right := n.left.vector(x), n.right.vector(x)
	n.out = n.out[:0]
	if n.op == "or" {
		n.out = append(n.out, left...)
		return n.unlike(n.out, right, left, false)
	}
	return n.unlike(n.out, left, right, n.op == "and")
}

// unlike appends the elements for which it is true, or false, that others match.
func (n *ofSets) unlike(out, all, others []element, wanted bool) []element {
	there := map[*labels]bool{}
	for _, e := range others {
		there[n.match.of(e.labels)] = true
	}
	for _, e := range all {
		if there[n.match.of(e.labels)] == wanted {
			out = append(out, e)
		}
	}
	return out
}
