// SPDX-License-Identifier: Apache-2.0

package epp

// A profileTrace is what a run of a profile leaves behind where decisions are
// explained.
type profileTrace struct {
	// kept[i] is what filter i left; shorter than the filters where one left
	// nothing, or none was asked.
	kept [][]int
	// raw[i] is what scorer i said of each candidate.
	raw [][]float64
}

func (t *profileTrace) begin() { *t = profileTrace{} }

func (t *profileTrace) filtered(candidates []int) {
	t.kept = append(t.kept, append([]int{}, candidates...))
}

// score asks a scorer for raw scores and weighs them itself. It asks once, as
// scorers may remember requests or draw random numbers.
func (t *profileTrace) score(c *cycle, candidates []int, s *weightedScorer) {
	raw := make([]float64, len(candidates))
	s.score(c, candidates, unweighed(), raw)
	for i, score := range raw {
		s.weighted[i] = s.weight.of(score)
	}
	t.raw = append(t.raw, raw)
}
