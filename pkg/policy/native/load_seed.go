// SPDX-License-Identifier: Apache-2.0

package native

// loadSeed is what an early design called queue depth: requests that wait, that run
// and that are on their way, from 1 for the fewest to 0 for the most, and 1 for all
// where all have as many. The EPP's queue-scorer counts those that wait alone.
type loadSeed struct{ load load }

func readLoadSeed(r *reader) func(*builder) scorer {
	l := readLoad(r)
	return func(b *builder) scorer {
		b.count()
		return loadSeed{l}
	}
}

func (s loadSeed) score(r *round, scores []float64) {
	leastFirst(r, scores, func(e int) int { return s.load.of(r, e) })
}
