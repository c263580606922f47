// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// worseThanBest returns for each candidate the p-value of its being worse in
// every objective than the best of candidates and rivals, under the seeds that
// the candidates had, which are the same for all; rivals may have had more. The
// best one's is 1, and so is everybody's where the best does not meet its
// constraints. How far others exceed theirs is not tested: a candidate behind
// the best is no better for exceeding them.
//
// Differences are paired by seed, and tested by Student's one-sided t. Of
// differences that are all equal the sign test is taken instead: counts of rare
// events are often equal by chance. The p-values are corrected by Holm's
// procedure for as many comparisons as there are candidates and rivals in addition to
// the best, rivals too, since any of them may look best by luck.
//
// What that promises, as far as differences are normal, is about the one who is
// best indeed: to drop those with p ≤ α loses him with probability α at most.
// For he is lost only if he looks worse than whoever looks best; for each of m
// others the level is α/m, so that the sum over all who may look best is α. (Once
// some are clearly worse, Holm's level is milder than α/m; they are then none of
// those who may look best.) Others, who are as good or nearly, are dropped more
// often: some of many who are equal look worse than the luckiest. Who looks k
// times divides α by k.
func worseThanBest(candidates, rivals []*Trial, objectives int) []float64 {
	n := len(candidates[0].Samples)
	best := slices.MinFunc(slices.Concat(candidates, rivals), func(a, b *Trial) int {
		return compare(a.first(n), b.first(n))
	})
	ps := slices.Repeat([]float64{1}, len(candidates))
	if best.Excess > 0 {
		return ps
	}
	var others []int
	family := make([]float64, 0, len(candidates)+len(rivals))
	for i, c := range candidates {
		if c != best {
			others = append(others, i)
			family = append(family, worseP(c, best, n, objectives))
		}
	}
	for len(family) < len(candidates)+len(rivals)-1 {
		family = append(family, 1)
	}
	corrected := stats.Holm(family)
	for j, i := range others {
		ps[i] = corrected[j]
	}
	return ps
}

// worseP returns the p-value of a being worse than b in each of a number of
// objectives under the first n seeds: the largest of theirs.
func worseP(a, b *Trial, n, objectives int) float64 {
	largest := 0.0
	differences := make([]float64, n)
	for j := range objectives {
		for i := range differences {
			differences[i] = a.Samples[i][j] - b.Samples[i][j]
		}
		largest = max(largest, abovePValue(differences))
	}
	return largest
}

func abovePValue(differences []float64) float64 {
	if slices.Min(differences) == slices.Max(differences) && differences[0] > 0 {
		return math.Ldexp(1, -len(differences))
	}
	return stats.MeanAboveP(differences, 0)
}
