// SPDX-License-Identifier: Apache-2.0

package search

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// newHyperband returns races that begin at every rung, side by side: where the
// cheap rungs are poor judges, the races that skip them are not misled (Li,
// Jamieson, DeSalvo, Rostamizadeh, Talwalkar: Hyperband, 2018). MaxTrials is
// divided so that each race costs about the same.
func newHyperband(p *problem) (Algorithm, field.ErrorList) {
	if errs := p.checkHalving(); len(errs) > 0 {
		return nil, errs
	}
	points, efforts := p.draw(p.Settings.MaxTrials), p.halvingEfforts()
	h := &halving{}
	for first, n := range hyperbandSizes(len(points), len(efforts), p.halving().Reduction) {
		if n > 0 {
			h.races = append(h.races, newRace(efforts[first:], p.halving().Reduction, points[:n]))
		}
		points = points[n:]
	}
	return h, nil
}

// hyperbandSizes divides points among the races that begin at each rung: a race
// of m rungs gets them in proportion to reduction^(m-1)/m. What rounding leaves
// goes to the largest remainders.
func hyperbandSizes(points, rungs, reduction int) []int {
	weights := make([]float64, rungs)
	total, power := 0.0, 1.0
	for m := 1; m <= rungs; m++ {
		weights[rungs-m] = power / float64(m)
		total += weights[rungs-m]
		power *= float64(reduction)
	}
	sizes, places := make([]int, rungs), make([]int, rungs)
	left := points
	for i, weight := range weights {
		exact := float64(float64(points)*weight) / total
		sizes[i], places[i] = int(exact), i
		weights[i] = exact - float64(sizes[i])
		left -= sizes[i]
	}
	slices.SortStableFunc(places, func(i, k int) int { return cmp.Compare(weights[k], weights[i]) })
	for _, i := range places[:left] {
		sizes[i]++
	}
	return sizes
}
