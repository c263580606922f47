// SPDX-License-Identifier: Apache-2.0

package scheduler

import "windtunnel.dev/windtunnel/pkg/policy"

// Weights implements [policy.Weighted]: the weights of all profiles that may run.
func (s *Scheduler) Weights() []policy.ScorerWeight {
	var all []policy.ScorerWeight
	for _, p := range s.Staged.profiles() {
		for i := range p.Scorers {
			scorer := &p.Scorers[i]
			all = append(all, policy.ScorerWeight{
				Profile: p.name, Scorer: scorer.plugin.Name, Type: scorer.plugin.Type, Weight: scorer.weight.factor,
			})
		}
	}
	return all
}

// SetWeight implements [policy.Weighted]. What scorers remember and count stays; the
// weighted scores of the last request do not.
func (s *Scheduler) SetWeight(i int, weight float64) {
	for _, p := range s.Staged.profiles() {
		if i >= len(p.Scorers) {
			i -= len(p.Scorers)
			continue
		}
		if scorer := &p.Scorers[i]; scorer.weight.factor != weight {
			scorer.weight = NewWeight(weight)
			p.scored = false
		}
		return
	}
}
