// SPDX-License-Identifier: Apache-2.0

package stats

import "sort"

// Weighted is a distribution of a mixture.
type Weighted struct {
	// Weight is relative to the others, and above 0.
	Weight       float64
	Distribution Distribution
}

// Mixture is one of several distributions each time. [MixtureOf] makes one.
type Mixture struct {
	parts      []Weighted
	cumulative []float64
}

// MixtureOf returns the mixture of one distribution or more.
func MixtureOf(parts []Weighted) Mixture {
	m := Mixture{parts: parts}
	sum := 0.0
	for _, p := range parts {
		sum += p.Weight
		m.cumulative = append(m.cumulative, sum)
	}
	return m
}

// Sample takes one draw, and those of the distribution.
func (m Mixture) Sample(s *Stream) float64 {
	return m.parts[pickCumulative(m.cumulative, s)].Distribution.Sample(s)
}

// Expectation returns the weighted mean of the expectations.
func (m Mixture) Expectation() float64 {
	sum := 0.0
	for _, p := range m.parts {
		sum += float64(p.Weight * p.Distribution.Expectation())
	}
	return sum / m.cumulative[len(m.cumulative)-1]
}

// pickCumulative draws an index from the cumulative weights.
func pickCumulative(cumulative []float64, s *Stream) int {
	last := len(cumulative) - 1
	u := float64(s.Float64() * cumulative[last])
	return min(last, sort.Search(last, func(i int) bool { return u < cumulative[i] }))
}
