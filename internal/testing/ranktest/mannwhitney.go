// SPDX-License-Identifier: Apache-2.0

package ranktest

import "windtunnel.dev/windtunnel/pkg/stats"

// MannWhitneyP returns the p-value of the Mann–Whitney (Wilcoxon rank-sum) test
// for numbers of a tending to lie above those of b, which have nothing to do
// with each other pair by pair. It is 1 where a or b is empty.
//
// With up to 50 numbers together it counts all ways to split them, ties
// included, and so is exact; beyond it is the normal approximation with
// corrections for ties and continuity.
func MannWhitneyP(a, b []float64) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 1
	}
	ranks, ties := stats.Midranks(append(append([]float64{}, a...), b...))
	sum := 0
	for _, rank := range ranks[:len(a)] {
		sum += rank
	}
	if len(ranks) <= exactRanks {
		return rankSumP(ranks, len(a), sum)
	}
	// Of doubled ranks: mean and variance are twice and four times the usual.
	na, nb, n := float64(len(a)), float64(len(b)), float64(len(ranks))
	mean := float64(na * (n + 1))
	variance := float64(na*nb) * (n + 1 - ties/float64(n*(n-1))) / 3
	return upperNormalP(float64(sum), mean, variance, 2)
}

// rankSumP returns the share of all choices of that many ranks whose sum is at
// least so much.
func rankSumP(ranks []int, chosen, sum int) float64 {
	total := 0
	for _, rank := range ranks {
		total += rank
	}
	ways := make([][]float64, chosen+1) // by how many are chosen, then by their sum
	for k := range ways {
		ways[k] = make([]float64, total+1)
	}
	ways[0][0] = 1
	for _, rank := range ranks {
		for k := chosen; k > 0; k-- {
			for s := total; s >= rank; s-- {
				ways[k][s] += ways[k-1][s-rank]
			}
		}
	}
	return shareFrom(ways[chosen], sum)
}
