// SPDX-License-Identifier: Apache-2.0

package scheduler

// A profileTrace is what a run of a profile leaves behind where decisions are
// explained.
type profileTrace struct {
	// kept[i] is what filter i left; shorter than the filters where one left
	// nothing, or none was asked.
	kept [][]int
	// raw[i] is what scorer i said of each candidate.
	raw [][]float64

	ints   []int     // memory of kept
	floats []float64 // memory of raw
}

func (t *profileTrace) Begin() {
	t.kept, t.raw, t.ints, t.floats = t.kept[:0], t.raw[:0], t.ints[:0], t.floats[:0]
}

func (t *profileTrace) filtered(candidates []int) {
	t.kept = append(t.kept, copied(&t.ints, candidates))
}

// Score asks a scorer for raw scores and weighs them itself. It asks once, as
// scorers may remember requests or draw random numbers.
func (t *profileTrace) Score(c *Cycle, candidates []int, s *weightedScorer) {
	raw := take(&t.floats, len(candidates))
	clear(raw)
	s.Score(c, candidates, rawWeight(), raw)
	for i, score := range raw {
		s.weighted[i] = s.weight.Of(score)
	}
	t.raw = append(t.raw, raw)
}
