// SPDX-License-Identifier: Apache-2.0

package query

import "math"

// mapping applies a function of numbers to each element.
type mapping struct {
	of         vectorNode
	parameters []scalarNode
	apply      func(v float64, parameters []float64) float64
	names      *projection
	values     []float64
}

func (n *mapping) vector(x *evaluation) []element {
	all := n.of.vector(x)
	n.values = n.values[:0]
	for _, p := range n.parameters {
		n.values = append(n.values, p.scalar(x))
	}
	for i := range all {
		all[i] = element{n.names.of(all[i].labels), n.apply(all[i].value, n.values)}
	}
	return all
}

// mapped is a function of each element and of some numbers.
type mapped struct {
	parameters, optional int
	apply                func(v float64, parameters []float64) float64
}

var mappings = map[string]mapped{
	"abs":       {0, 0, func(v float64, _ []float64) float64 { return math.Abs(v) }},
	"ceil":      {0, 0, func(v float64, _ []float64) float64 { return math.Ceil(v) }},
	"floor":     {0, 0, func(v float64, _ []float64) float64 { return math.Floor(v) }},
	"sqrt":      {0, 0, func(v float64, _ []float64) float64 { return math.Sqrt(v) }},
	"clamp_min": {1, 0, func(v float64, p []float64) float64 { return math.Max(p[0], v) }},
	"clamp_max": {1, 0, func(v float64, p []float64) float64 { return math.Min(p[0], v) }},
	"clamp":     {2, 0, func(v float64, p []float64) float64 { return math.Max(p[0], math.Min(p[1], v)) }},
	"round":     {0, 1, round},
}

// round returns the nearest multiple, up where two are as near.
func round(v float64, parameters []float64) float64 {
	nearest := 1.0
	if len(parameters) > 0 {
		nearest = parameters[0]
	}
	inverse := 1 / nearest
	return math.Floor(float64(v*inverse)+0.5) / inverse
}

// clamping is clamp, which has no elements where its bounds are the wrong way round.
type clamping struct{ mapping }

func (n *clamping) vector(x *evaluation) []element {
	all := n.mapping.vector(x)
	if n.values[0] > n.values[1] {
		return all[:0]
	}
	return all
}

// asVector is vector.
type asVector struct {
	of  scalarNode
	out [1]element
	no  *labels
}

func (n *asVector) vector(x *evaluation) []element {
	n.out[0] = element{n.no, n.of.scalar(x)}
	return n.out[:]
}

// asScalar is scalar.
type asScalar struct{ of vectorNode }

func (n *asScalar) scalar(x *evaluation) float64 {
	if all := n.of.vector(x); len(all) == 1 {
		return all[0].value
	}
	return math.NaN()
}

// absence is absent.
type absence struct {
	of  vectorNode
	out [1]element
	as  *labels
}

func (n *absence) vector(x *evaluation) []element {
	if len(n.of.vector(x)) > 0 {
		return nil
	}
	n.out[0] = element{n.as, 1}
	return n.out[:]
}
