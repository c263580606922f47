// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"math"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// rowsPerChunk and documentsPerChunk are how many results of usual scenarios a
// ConfigMap holds: for an estimate.
const (
	rowsPerChunk      = 2000
	documentsPerChunk = 70
)

// Estimate says what a plan is likely to take, from a study that was told nothing
// yet: of a search that learns, the most that there can be.
func (p *Plan) Estimate(s *Study) v1alpha1.PlanStatus {
	points, simulations := p.upperBounds(s)
	out := v1alpha1.PlanStatus{Points: int64(points), Simulations: int64(simulations)}
	out.CoreSeconds = int64(math.Ceil(p.CoreSeconds(s)))
	perChunk := rowsPerChunk
	if !p.IsSweep() {
		perChunk = documentsPerChunk
	}
	out.ConfigMaps = int64((simulations + perChunk - 1) / perChunk)
	return out
}

// CoreSeconds estimates what all simulations take of a core, from a study that was
// told nothing yet: of a search that learns, the most that they can.
func (p *Plan) CoreSeconds(s *Study) float64 {
	_, simulations := p.upperBounds(s)
	round := s.Round()
	if round == nil || round.Simulations() == 0 {
		return 0
	}
	each, cost := 0.0, p.cost()
	for i := range round.Trials {
		// The first round of a halving search has short simulations only.
		each += cost(&Trial{Point: round.Trials[i].Point, Share: 1})
		if i == 100 {
			break
		}
	}
	each /= float64(min(len(round.Trials), 101))
	return max(round.CoreSeconds(), float64(each*float64(simulations)))
}

// upperBounds bound the numbers of points and simulations.
func (p *Plan) upperBounds(s *Study) (points, simulations int) {
	points, simulations = len(s.Points()), s.Simulations()
	if p.isAdaptive() {
		points = int(p.Search.MaxTrials)
		if size, exact := p.space().Size(); exact && size < uint64(points) {
			points = int(size)
		}
		if len(p.Baseline) > 0 {
			points++
		}
		simulations = points * p.maxSeedsPerPoint()
		if p.isHalving() {
			// Each rung takes half of the one before at most, or one point of each
			// race, and the baseline is tried beside them.
			rungs := p.rungs()
			simulations = (2*points + rungs*rungs + 1) * len(p.Seeds)
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

// isAdaptive reports whether there are rounds that depend on others' results, beside
// those for more seeds.
func (p *Plan) isAdaptive() bool {
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

// isHalving reports whether the search goes from little effort to more.
func (p *Plan) isHalving() bool {
	return p.Search.Algorithm == v1alpha1.SuccessiveHalvingSearch || p.Search.Algorithm == v1alpha1.HyperbandSearch
}

// rungs is how many steps the effort takes at most, and so how many races there
// are.
func (p *Plan) rungs() int {
	reduction, minimum := 3., 0.
	if h := p.settings().Halving; h.Reduction > 0 {
		reduction, minimum = float64(h.Reduction), h.Minimum
	}
	if minimum == 0 {
		return 3
	}
	return 2 + int(-stats.Log(minimum)/stats.Log(reduction))
}

// maxSeedsPerPoint is how many simulations the search gives a point at most.
func (p *Plan) maxSeedsPerPoint() int {
	most := 0
	for _, seeds := range p.seedCounts() {
		most += seeds
	}
	return most
}

// seedCounts are the numbers of seeds under which a point is tried, one after the
// other: those of a capacity are doubled where they do not tell.
func (p *Plan) seedCounts() []int {
	counts := []int{len(p.Seeds)}
	if p.Search.Capacity == nil {
		return counts
	}
	most := p.settings().Capacity.MaxSeeds
	for seeds := len(p.Seeds); seeds < most; {
		seeds = min(2*seeds, most)
		counts = append(counts, seeds)
	}
	return counts
}
