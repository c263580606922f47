// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"cmp"
	"slices"
)

// Midranks returns the rank of each number, from 1, doubled so that it is an
// integer: equal numbers share the mean of the ranks they take up. The second
// result is Σ(t³-t) over groups of t equal numbers.
func Midranks(xs []float64) (doubled []int, ties float64) {
	order := make([]int, len(xs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(xs[i], xs[j]) })
	doubled = make([]int, len(xs))
	for first := 0; first < len(order); {
		next := first + 1
		for next < len(order) && xs[order[next]] == xs[order[first]] {
			next++
		}
		for _, i := range order[first:next] {
			doubled[i] = first + 1 + next
		}
		t := float64(next - first)
		ties += float64(t*t*t) - t
		first = next
	}
	return doubled, ties
}
