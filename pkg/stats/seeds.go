// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"math"
	"sort"
)

// SeedsFor returns how many numbers, from 2 to most, it takes until the
// half-width of their t-interval is at most relative times their mean, if more
// of them have the mean and the spread of xs (Law: Simulation Modeling and
// Analysis, 9.4.1). It returns most where that is not enough, and 2, the fewest
// that tell anything, where xs has fewer.
//
// The spread of a few numbers is itself uncertain: ask again once there are
// more.
func SeedsFor(xs []float64, relative, confidence float64, most int) int {
	if len(xs) < 2 || most <= 2 {
		return min(2, most)
	}
	mean, stdDev := moments(xs)
	wanted := float64(relative * math.Abs(mean))
	return 2 + sort.Search(most-2, func(i int) bool {
		n := 2 + i
		return float64(StudentT(confidence, n-1)*(stdDev/math.Sqrt(float64(n)))) <= wanted
	})
}
