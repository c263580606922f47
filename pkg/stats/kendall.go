// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"cmp"
	"math"
	"slices"
)

// Kendall returns Kendall's tau-b of x[i] and y[i], in [-1, 1]: pairs in the
// same order less pairs in opposite order, over the geometric mean of the pairs
// that differ in x and of those that differ in y. It is not defined, and ok is
// false, where all of x or all of y are equal. It panics where the lengths
// differ.
//
// Pairs in opposite order are counted as the exchanges of a merge sort (Knight:
// A Computer Method for Calculating Kendall's Tau with Ungrouped Data, JASA 61,
// 1966).
func Kendall(x, y []float64) (tau float64, ok bool) {
	mustPair(x, y)
	type point struct{ x, y float64 }
	points := make([]point, len(x))
	for i := range points {
		points[i] = point{x[i], y[i]}
	}
	slices.SortFunc(points, func(p, q point) int {
		return cmp.Or(cmp.Compare(p.x, q.x), cmp.Compare(p.y, q.y))
	})
	sameX := equalPairs(points, func(p, q point) bool { return p.x == q.x })
	same := equalPairs(points, func(p, q point) bool { return p == q })

	ys := make([]float64, len(points))
	for i, p := range points {
		ys[i] = p.y
	}
	opposite := sortCounting(ys, make([]float64, len(ys)))
	sameY := equalPairs(ys, func(a, b float64) bool { return a == b })

	pairs := len(x) * (len(x) - 1) / 2
	differX, differY := pairs-sameX, pairs-sameY
	if differX == 0 || differY == 0 {
		return 0, false
	}
	concordant := pairs - sameX - sameY + same - opposite
	return float64(concordant-opposite) / math.Sqrt(float64(differX)*float64(differY)), true
}

// equalPairs counts the pairs of equal elements of a sorted list.
func equalPairs[T any](sorted []T, equal func(a, b T) bool) int {
	count, run := 0, 0
	for i := 1; i < len(sorted); i++ {
		run++
		if !equal(sorted[i-1], sorted[i]) {
			run = 0
		}
		count += run
	}
	return count
}

// sortCounting sorts xs and returns how many pairs stood in opposite order.
func sortCounting(xs, scratch []float64) int {
	if len(xs) < 2 {
		return 0
	}
	half := len(xs) / 2
	count := sortCounting(xs[:half], scratch) + sortCounting(xs[half:], scratch)
	left := scratch[:copy(scratch, xs[:half])]
	i, j := 0, half
	for k := range xs {
		if i < len(left) && (j == len(xs) || left[i] <= xs[j]) {
			xs[k] = left[i]
			i++
		} else {
			xs[k] = xs[j]
			j++
			count += len(left) - i
		}
	}
	return count
}
