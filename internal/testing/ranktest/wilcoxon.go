// SPDX-License-Identifier: Apache-2.0

package ranktest

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// exactRanks is up to how many ranks rank tests count all outcomes. There are
// fewer than 2^53, so counts are exact.
const exactRanks = 50

// WilcoxonP returns the p-value of Wilcoxon's signed-rank test for a[i] - b[i]
// lying above 0, of pairs that met the same random numbers. Where
// [stats.PairedAboveP] asks that differences be nearly normal, it asks only that they
// would scatter evenly about 0. Pairs without a difference are left out; of
// none it is 1. It panics where the lengths differ.
//
// With up to 50 differences it counts all ways to give them signs, ties
// included, and so is exact; beyond it is the normal approximation with
// corrections for ties and continuity.
func WilcoxonP(a, b []float64) float64 {
	var sizes []float64
	var above []bool
	for _, d := range stats.Differences(a, b) {
		if d != 0 {
			sizes, above = append(sizes, math.Abs(d)), append(above, d > 0)
		}
	}
	ranks, ties := stats.Midranks(sizes)
	sum := 0
	for i, rank := range ranks {
		if above[i] {
			sum += rank
		}
	}
	if len(ranks) <= exactRanks {
		return signedRankP(ranks, sum)
	}
	n := float64(len(ranks))
	// Of doubled ranks: mean and variance are twice and four times the usual.
	mean := float64(n*(n+1)) / 2
	variance := float64(n*(n+1)*(2*n+1))/6 - ties/12
	return upperNormalP(float64(sum), mean, variance, 2)
}

// signedRankP returns the share of all subsets of the ranks whose sum is at
// least so much.
func signedRankP(ranks []int, sum int) float64 {
	total := 0
	for _, rank := range ranks {
		total += rank
	}
	ways := make([]float64, total+1) // by sum of the ranks chosen
	ways[0] = 1
	for _, rank := range ranks {
		for s := total; s >= rank; s-- {
			ways[s] += ways[s-rank]
		}
	}
	return shareFrom(ways, sum)
}

// shareFrom returns what ways from index first on are of all.
func shareFrom(ways []float64, first int) float64 {
	all, upper := 0.0, 0.0
	for s, count := range ways {
		all += count
		if s >= first {
			upper += count
		}
	}
	return upper / all
}
