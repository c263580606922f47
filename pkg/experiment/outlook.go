// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"math"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// rowsPerChunk and documentsPerChunk are how many results of usual scenarios a
// ConfigMap holds: for an estimate.
const (
	rowsPerChunk      = 2000
	documentsPerChunk = 70
)

// Outlook estimates what a plan amounts to, from a study that was told nothing
// yet: of a search that learns, the most that there can be.
func (p *Plan) Outlook(s *Study) v1alpha1.PlanStatus {
	points, simulations := p.most(s)
	out := v1alpha1.PlanStatus{Points: int64(points), Simulations: int64(simulations)}
	if round := s.Round(); round != nil && round.Simulations() > 0 {
		each, cost := 0.0, p.cost()
		for i := range round.Trials {
			// The first round of a halving search has short simulations only.
			each += cost(&Trial{Point: round.Trials[i].Point, Share: 1})
			if i == 100 {
				break
			}
		}
		each /= float64(min(len(round.Trials), 101))
		out.CoreSeconds = int64(math.Ceil(max(round.CoreSeconds(), float64(each*float64(simulations)))))
	}
	perChunk := rowsPerChunk
	if !p.IsSweep() {
		perChunk = documentsPerChunk
	}
	out.ConfigMaps = int64((simulations + perChunk - 1) / perChunk)
	return out
}

// most bounds points and simulations.
func (p *Plan) most(s *Study) (points, simulations int) {
	points, simulations = len(s.Points()), s.Asked()
	if p.learns() {
		points = int(p.Search.MaxTrials)
		if size, exact := p.space().Size(); exact && size < uint64(points) {
			points = int(size)
		}
		if len(p.Baseline) > 0 {
			points++
		}
		simulations = points * p.mostSeeds()
		if p.Search.Halving != nil || p.Search.Algorithm == v1alpha1.SuccessiveHalvingSearch || p.Search.Algorithm == v1alpha1.HyperbandSearch {
			// Each rung takes at most what is left of the one before.
			simulations *= 2
		}
	}
	if p.Search != nil && p.Search.Confirm != nil {
		simulations += 2 * int(*p.Search.Confirm)
	}
	if p.Precision != nil {
		simulations += max(0, p.Precision.MaxCount-len(p.Seeds)) * min(points, maxPrecise)
	}
	return points, simulations
}

// maxPrecise is for how many points at most a wanted precision takes more seeds.
const maxPrecise = 8

// learns reports whether there are rounds that depend on others' results, beside
// those for more seeds.
func (p *Plan) learns() bool {
	if p.Search == nil {
		return false
	}
	switch p.Search.Algorithm {
	case v1alpha1.GridSearch, v1alpha1.RandomSearch, v1alpha1.SobolSearch, v1alpha1.LatinHypercubeSearch:
		return p.Search.Racing != nil
	default:
		return true
	}
}

// mostSeeds is how many seeds the search gives a point at most.
func (p *Plan) mostSeeds() int {
	if c := p.Search.Capacity; c != nil {
		return p.settings().Capacity.MaxSeeds
	}
	return len(p.Seeds)
}
