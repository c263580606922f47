// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The tops of scores that change here and there are those of the scores themselves.
func TestTopsAreThoseOfTheScores(t *testing.T) {
	for _, n := range []int{1, topGroup - 1, topGroup, topGroup + 1, 5*topGroup + 7} {
		random := rand.New(rand.NewPCG(1, uint64(n)))
		scores := make([]float64, n)
		tops := newScoreTops(n)
		tops.renewAll(scores)
		for range 300 {
			for range random.IntN(4) {
				tops.set(random.IntN(n), float64(random.IntN(3)))
			}
			var best []int
			for i, score := range scores {
				if score == slices.Max(scores) {
					best = append(best, i)
				}
			}
			highest, tied := tops.Highest()
			var got []int
			for k := range tied {
				got = append(got, tops.Of(highest, k))
			}
			if highest != slices.Max(scores) || !slices.Equal(got, best) {
				t.Fatalf("%d scores: %v have the highest one, %v, want %v", n, got, highest, best)
			}
		}
	}
}
