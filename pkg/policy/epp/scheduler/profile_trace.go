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
}

func (t *profileTrace) Begin() { *t = profileTrace{} }

func (t *profileTrace) filtered(candidates []int) {
	t.kept = append(t.kept, append([]int{}, candidates...))
}

// Score asks a scorer for raw scores and weighs them itself. It asks once, as
// scorers may remember requests or draw random numbers.
func (t *profileTrace) Score(c *Cycle, candidates []int, s *weightedScorer) {
	raw := make([]float64, len(candidates))
	s.Score(c, candidates, rawWeight(), raw)
	for i, score := range raw {
		s.weighted[i] = s.weight.Of(score)
	}
	t.raw = append(t.raw, raw)
}
