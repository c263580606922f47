// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"cmp"
	"fmt"
	"slices"
)

// Holm returns the p-values corrected for there being several tests, each in
// its place: rejecting what is at most α makes even one false rejection no
// likelier than α, however the tests depend on each other (Holm: A Simple
// Sequentially Rejective Multiple Test Procedure, 1979). None is larger than
// Bonferroni's. It panics where a number is not in [0, 1].
func Holm(ps []float64) []float64 {
	mustBeProbabilities(ps)
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(ps[i], ps[j]) })
	adjusted := make([]float64, len(ps))
	largest := 0.0
	for rank, i := range order {
		largest = max(largest, min(1, float64(len(ps)-rank)*ps[i]))
		adjusted[i] = largest
	}
	return adjusted
}

func mustBeProbabilities(ps []float64) {
	for _, p := range ps {
		if !(p >= 0 && p <= 1) {
			panic(fmt.Sprintf("stats: a p-value of %v", p))
		}
	}
}
