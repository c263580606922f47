// SPDX-License-Identifier: Apache-2.0

package native

// leastLoaded takes an endpoint with the least load. Its parameter load says what
// that is.
type leastLoaded struct {
	load    load
	ties    ties
	lightly []float64 // the loads below 0, so that the least is the greatest
}

func readLeastLoaded(r *reader) func(*builder) chooser {
	l := readLoad(r)
	return func(b *builder) chooser {
		b.count()
		return &leastLoaded{load: l, ties: newTies(b), lightly: make([]float64, b.endpoints)}
	}
}

func (c *leastLoaded) choose(r *round) int {
	c.lightly = c.lightly[:len(r.candidates)]
	for i, e := range r.candidates {
		c.lightly[i] = -float64(c.load.of(r, e))
	}
	return c.ties.best(c.lightly)
}
