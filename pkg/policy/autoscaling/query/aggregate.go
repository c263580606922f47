// SPDX-License-Identifier: Apache-2.0

package query

import (
	"cmp"
	"math"
	"slices"
)

// compare orders values with NaN before all others.
func compare(a, b float64) int { return cmp.Compare(a, b) }

// aggregation makes one element of each group of elements with the same labels.
type aggregation struct {
	of        vectorNode
	groups    *projection
	parameter scalarNode // nil where the aggregation has none
	aggregate aggregator

	seen   []*labels
	values [][]float64
	out    []element
}

// aggregator returns the value of a group, which has at least one.
type aggregator func(values []float64, parameter float64) float64

func (n *aggregation) vector(x *evaluation) []element {
	all := n.of.vector(x)
	parameter := 0.0
	if n.parameter != nil {
		parameter = n.parameter.scalar(x)
	}
	n.seen, n.out = n.seen[:0], n.out[:0]
	for _, e := range all {
		n.add(n.groups.of(e.labels), e.value)
	}
	for i, group := range n.seen {
		n.out = append(n.out, element{group, n.aggregate(n.values[i], parameter)})
	}
	return n.out
}

// add adds a value to its group. A query has few groups, or as many as elements in their
// order, so the search begins at the last.
func (n *aggregation) add(group *labels, value float64) {
	at := len(n.seen) - 1
	for at >= 0 && n.seen[at] != group {
		at--
	}
	if at < 0 {
		at = len(n.seen)
		n.seen = append(n.seen, group)
		if at == len(n.values) {
			n.values = append(n.values, nil)
		}
		n.values[at] = n.values[at][:0]
	}
	n.values[at] = append(n.values[at], value)
}

// aggregators are the aggregations to one value.
var aggregators = map[string]aggregator{
	"sum":   func(v []float64, _ float64) float64 { return sum(v) },
	"avg":   func(v []float64, _ float64) float64 { return sum(v) / float64(len(v)) },
	"count": func(v []float64, _ float64) float64 { return float64(len(v)) },
	"max":   func(v []float64, _ float64) float64 { return best(v, 1) },
	"min":   func(v []float64, _ float64) float64 { return best(v, -1) },
	"quantile": func(v []float64, q float64) float64 {
		slices.SortFunc(v, compare)
		return quantile(q, len(v), func(i int) float64 { return v[i] })
	},
}

func sum(values []float64) float64 {
	s := 0.0
	for _, v := range values {
		s += v
	}
	return s
}

// best returns the largest value, or with a sign of −1 the smallest.
func best(values []float64, sign float64) float64 {
	b := values[0]
	for _, v := range values[1:] {
		if v*sign > b*sign || math.IsNaN(b) {
			b = v
		}
	}
	return b
}

// ranking keeps the first elements of each group by value: topk, or bottomk with a sign of 1.
type ranking struct {
	of     vectorNode
	groups *projection
	count  scalarNode
	sign   float64
	out    []element
}

func (n *ranking) vector(x *evaluation) []element {
	all := n.of.vector(x)
	slices.SortStableFunc(all, func(a, b element) int {
		switch {
		case math.IsNaN(a.value) || math.IsNaN(b.value):
			return -compare(a.value, b.value)
		default:
			return compare(a.value*n.sign, b.value*n.sign)
		}
	})
	limit := n.count.scalar(x)
	n.out = n.out[:0]
	kept := map[*labels]float64{}
	for _, e := range all {
		group := n.groups.of(e.labels)
		if kept[group]++; kept[group] <= math.Trunc(limit) {
			n.out = append(n.out, e)
		}
	}
	return n.out
}
