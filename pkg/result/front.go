// SPDX-License-Identifier: Apache-2.0

package result

import (
	"windtunnel.dev/windtunnel/pkg/stats"
)

// What is worked out of how certain the Pareto front is.
const (
	// maxContenders bounds the candidates whose membership is worked out, which
	// takes all of them against each other for each resample.
	maxContenders = 128
	// frontLayers are the fronts that are left when those before are taken away:
	// who is on a later one hardly ever gets to the first.
	frontLayers    = 4
	frontResamples = 1000
)

// markFront finds the Pareto front of the feasible entrants, and how likely
// those near it are on it.
func (s *leaderboardBuilder) markFront() {
	if len(s.Objectives) == 0 || s.capacities() {
		return // figures under different loads do not compare
	}
	var rest []*entry // they come first
	for i := range s.entries {
		if s.entries[i].standing == Feasible {
			rest = append(rest, &s.entries[i])
		}
	}
	ranked := rest
	var contenders []*entry
	for layer := 0; layer < frontLayers && len(contenders) < maxContenders && len(rest) > 0; layer++ {
		costs := make([][]float64, len(rest))
		for i, e := range rest {
			costs[i] = e.losses
		}
		var later []*entry
		for i, on := range pareto(costs) {
			if on {
				rest[i].pareto = layer == 0
				contenders = append(contenders, rest[i])
			} else {
				later = append(later, rest[i])
			}
		}
		rest = later
	}
	s.markMembership(filled(contenders, ranked))
}

// filled returns the first maxContenders of the contenders, and where there are
// fewer, the best of the ranked ones in addition.
func filled(contenders, ranked []*entry) []*entry {
	known := map[*entry]bool{}
	for _, e := range contenders {
		known[e] = true
	}
	for _, e := range ranked {
		if len(contenders) >= maxContenders {
			break
		}
		if !known[e] {
			contenders = append(contenders, e)
		}
	}
	return contenders[:min(len(contenders), maxContenders)]
}

// markMembership works out the contenders' probabilities.
func (s *leaderboardBuilder) markMembership(contenders []*entry) {
	if len(s.seeds) < 2 || len(contenders) == 0 {
		return
	}
	samples := make([][][]float64, len(contenders))
	for i, e := range contenders {
		rows := s.ranking(e)
		for o, objective := range s.Objectives {
			losses := s.readers[o].values(rows)
			for j := range losses {
				losses[j] = objective.Loss(losses[j])
			}
			samples[i] = append(samples[i], losses)
		}
	}
	membership := stats.FrontMembership(samples, frontResamples, stats.NewStream(1, "leaderboard/front"))
	for i, e := range contenders {
		e.membership = &membership[i]
	}
}
