// SPDX-License-Identifier: Apache-2.0

package search

import (
	"cmp"
	"math"
	"slices"
)

// individual is a trial that did not fail, with what selection asks of it.
type individual struct {
	Trial
	losses   []float64 // by objective
	front    int       // 0: none dominates it; 1: only those of front 0 do; and so on
	crowding float64   // the sum over objectives of the relative gap between its neighbours in its front
}

// individuals returns the trials that did not fail, by a number of objectives:
// samples may hold more numbers.
func individuals(trials []Trial, objectives int) []individual {
	var living []individual
	for _, t := range trials {
		if !t.Failed() {
			living = append(living, individual{Trial: t, losses: t.Losses()[:objectives]})
		}
	}
	return living
}

// dominates says whether a is preferred to b whatever the objectives weigh:
// it exceeds the constraints less, or both are feasible and a is nowhere worse
// and somewhere better (Deb, Pratap, Agarwal, Meyarivan: A Fast and Elitist
// Multiobjective Genetic Algorithm: NSGA-II, 2002, section VI).
func (a *individual) dominates(b *individual) bool {
	if a.Excess > 0 || b.Excess > 0 {
		return a.Excess < b.Excess
	}
	better := false
	for i, loss := range a.losses {
		if loss > b.losses[i] {
			return false
		}
		better = better || loss < b.losses[i]
	}
	return better
}

// ranked gives every individual its front and its crowding, and sorts them:
// earlier fronts first, of one front the lonelier ones. Equals stay in their
// order.
func ranked(all []individual) []individual {
	sorted := make([]individual, 0, len(all))
	for number, members := range fronts(all) {
		front := make([]individual, len(members))
		for i, member := range members {
			front[i] = all[member]
			front[i].front = number
		}
		setCrowding(front)
		sorted = append(sorted, front...)
	}
	slices.SortStableFunc(sorted, compareRanked)
	return sorted
}

// compareRanked is negative where a is preferred.
func compareRanked(a, b individual) int {
	return cmp.Or(cmp.Compare(a.front, b.front), -cmp.Compare(a.crowding, b.crowding))
}

// fronts peels off those that none of the rest dominates, again and again. Members
// are indices, in ascending order.
func fronts(all []individual) [][]int {
	dominators := make([]int, len(all))
	dominated := make([][]int, len(all))
	for i := range all {
		for k := range all {
			if all[i].dominates(&all[k]) {
				dominated[i] = append(dominated[i], k)
				dominators[k]++
			}
		}
	}
	var front []int
	for i, n := range dominators {
		if n == 0 {
			front = append(front, i)
		}
	}
	var peeled [][]int
	for len(front) > 0 {
		peeled = append(peeled, front)
		var next []int
		for _, i := range front {
			for _, k := range dominated[i] {
				if dominators[k]--; dominators[k] == 0 {
					next = append(next, k)
				}
			}
		}
		slices.Sort(next)
		front = next
	}
	return peeled
}

// setCrowding sets the crowding of a front's members. Those at the ends of an
// objective are infinitely lonely, so that the front keeps its extent.
func setCrowding(front []individual) {
	if len(front) == 0 {
		return
	}
	order := make([]int, len(front))
	for objective := range front[0].losses {
		loss := func(place int) float64 { return front[order[place]].losses[objective] }
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, k int) int {
			return cmp.Compare(front[i].losses[objective], front[k].losses[objective])
		})
		last := len(front) - 1
		extent := loss(last) - loss(0)
		for place, i := range order {
			switch {
			case place == 0 || place == last:
				front[i].crowding = math.Inf(1)
			case extent > 0:
				front[i].crowding += (loss(place+1) - loss(place-1)) / extent
			}
		}
	}
}
