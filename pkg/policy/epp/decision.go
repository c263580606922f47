// SPDX-License-Identifier: Apache-2.0

package epp

// Decision says how the last request was routed.
type Decision struct {
	// Candidates are the endpoints that the filters left, in their order.
	Candidates []int
	// Scorers name the profile's scorers, in its order.
	Scorers []string
	// Weighted[i][j] is what scorer i adds to the score of Candidates[j]: the
	// weight times the raw score clamped to [0, 1].
	Weighted [][]float64
	// Scores[j] is the sum of these.
	Scores []float64
	// Chosen is an endpoint, or -1 where no candidate was left.
	Chosen int
}

// LastDecision explains the last call of Route. The slices share the
// scheduler's memory and are only valid until the next call.
func (s *Scheduler) LastDecision() Decision {
	p := s.profile
	d := Decision{Candidates: p.candidates[:len(p.scores)], Scores: p.scores, Chosen: p.chosen}
	for _, scorer := range p.scorers {
		d.Scorers = append(d.Scorers, scorer.name)
		d.Weighted = append(d.Weighted, scorer.weighted[:len(p.scores)])
	}
	return d
}
