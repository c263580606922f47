// SPDX-License-Identifier: Apache-2.0

package search

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// newLatinHypercube proposes MaxTrials points, one in each of as many slices of
// every coordinate, combined at random (McKay, Beckman, Conover: A Comparison of
// Three Methods for Selecting Values of Input Variables, 1979). Points that
// repeat others, or that rules forbid, make room for random ones.
func newLatinHypercube(p *problem) (Algorithm, field.ErrorList) {
	return newDesign(p, func() []Values {
		n := p.Settings.MaxTrials
		if p.cube.plain() {
			n = int(min(uint64(n), p.cube.size()))
		}
		u, s := newUntried(p.cube), p.stream(0)
		var points []Values
		for _, coordinates := range latinHypercube(n, p.cube.dimensions(), s) {
			if point := p.cube.decode(coordinates); u.take(point) {
				points = append(points, point)
			}
		}
		return u.drawUpTo(n, points, s)
	}), nil
}

// latinHypercube returns n points of the unit cube: of each coordinate, every
// n-th of [0, 1) has one.
func latinHypercube(n, dimensions int, s *stats.Stream) [][]float64 {
	points := make([][]float64, n)
	for i := range points {
		points[i] = make([]float64, dimensions)
	}
	for d := range dimensions {
		for i, slice := range permutation(n, s) {
			points[i][d] = (float64(slice) + s.Float64()) / float64(n)
		}
	}
	return points
}

// permutation shuffles the numbers below n.
func permutation(n int, s *stats.Stream) []int {
	numbers := make([]int, n)
	for i := range numbers {
		j := s.IntN(i + 1)
		numbers[i], numbers[j] = numbers[j], i
	}
	return numbers
}
