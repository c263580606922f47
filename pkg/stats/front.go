// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"cmp"
	"fmt"
	"slices"
)

// FrontMembership returns for each point with what probability it is on the
// Pareto front, less being better: the share of resamples of the seeds, the same
// for all points, in which no other point's means are at most its own in all
// objectives and below in one. samples[point][objective][seed] are equally many
// seeds, and the same ones, for all points; a point with nil samples, whose
// trial failed, has probability 0. With one seed all is certain, for nothing is
// known of the spread. It panics where the shapes differ or resamples is below
// 1.
func FrontMembership(samples [][][]float64, resamples int, s *Stream) []float64 {
	seeds := seedsOf(samples)
	if resamples < 1 {
		panic(fmt.Sprintf("stats: front from %d resamples", resamples))
	}
	membership := make([]float64, len(samples))
	if seeds == 0 {
		return membership
	}
	drawn := make([]int, seeds) // how often each seed
	means := make([][]float64, len(samples))
	for i, point := range samples {
		if point != nil {
			means[i] = make([]float64, len(point))
		}
	}
	for range resamples {
		clear(drawn)
		for range seeds {
			drawn[s.IntN(seeds)]++
		}
		for i, point := range samples {
			for o, xs := range point {
				means[i][o] = weightedSum(xs, drawn)
			}
		}
		for _, i := range front(means) {
			membership[i]++
		}
	}
	for i := range membership {
		membership[i] /= float64(resamples)
	}
	return membership
}

// seedsOf returns how many seeds all points have.
func seedsOf(samples [][][]float64) int {
	objectives, seeds := -1, 0
	for i, point := range samples {
		if point == nil {
			continue
		}
		if objectives < 0 && len(point) > 0 {
			objectives, seeds = len(point), len(point[0])
		}
		if len(point) != objectives {
			panic(fmt.Sprintf("stats: point %d has %d objectives, others have %d", i, len(point), objectives))
		}
		for _, xs := range point {
			if len(xs) != seeds {
				panic(fmt.Sprintf("stats: point %d has %d seeds, others have %d", i, len(xs), seeds))
			}
		}
	}
	return seeds
}

func weightedSum(xs []float64, weights []int) float64 {
	sum := 0.0
	for i, w := range weights {
		if w > 0 {
			sum += float64(float64(w) * xs[i])
		}
	}
	return sum
}

// front returns the points, nil ones aside, that no other dominates. In
// lexicographic order a point is dominated by earlier ones only, and if so, by
// one on the front.
func front(points [][]float64) []int {
	var order, on []int
	for i, point := range points {
		if point != nil {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(slices.Compare(points[i], points[j]), cmp.Compare(i, j))
	})
	for _, i := range order {
		if !slices.ContainsFunc(on, func(j int) bool { return dominates(points[j], points[i]) }) {
			on = append(on, i)
		}
	}
	return on
}

// dominates reports whether a is at most b in all objectives and less in one.
func dominates(a, b []float64) bool {
	less := false
	for i := range a {
		if a[i] > b[i] {
			return false
		}
		less = less || a[i] < b[i]
	}
	return less
}
