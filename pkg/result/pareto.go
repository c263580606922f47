// SPDX-License-Identifier: Apache-2.0

package result

import "slices"

// pareto says which points no other dominates. costs holds one vector a
// point, all of one length, in which less is better. A point dominates another
// if it is at least as good everywhere and better somewhere; of equal points
// neither does.
func pareto(costs [][]float64) []bool {
	order := make([]int, len(costs))
	for i := range order {
		order[i] = i
	}
	// Whoever dominates a point comes before it in lexicographic order, and
	// is on the front or dominated by one that is.
	slices.SortFunc(order, func(a, b int) int { return slices.Compare(costs[a], costs[b]) })
	onFront := make([]bool, len(costs))
	var front []int // one of equal points
	for place, i := range order {
		if place > 0 && slices.Equal(costs[i], costs[order[place-1]]) {
			onFront[i] = onFront[order[place-1]]
			continue
		}
		rivals := front
		if len(costs[i]) <= 2 && len(front) > 0 {
			// The second cost falls along the front: its last point dominates if any does.
			rivals = front[len(front)-1:]
		}
		onFront[i] = !slices.ContainsFunc(rivals, func(f int) bool { return dominates(costs[f], costs[i]) })
		if onFront[i] {
			front = append(front, i)
		}
	}
	return onFront
}

func dominates(a, b []float64) bool {
	better := false
	for i := range a {
		if a[i] > b[i] {
			return false
		}
		better = better || a[i] < b[i]
	}
	return better
}
