// SPDX-License-Identifier: Apache-2.0

package study

import (
	"math"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
)

// rowsPerChunk and documentsPerChunk are how many results of usual scenarios a
// ConfigMap holds: for an estimate.
const (
	rowsPerChunk      = 2000
	documentsPerChunk = 70
)

// Estimate says what a plan is likely to take, from a study that has no rows
// yet: of a search that learns, the most that there can be.
func Estimate(p *experiment.Plan, s *Study) v1alpha1.PlanStatus {
	points, simulations := upperBounds(p, s)
	out := v1alpha1.PlanStatus{Points: int64(points), Simulations: int64(simulations)}
	out.CoreSeconds = int64(math.Ceil(CoreSeconds(p, s)))
	perChunk := rowsPerChunk
	if !p.IsSweep() {
		perChunk = documentsPerChunk
	}
	out.ConfigMaps = int64((simulations + perChunk - 1) / perChunk)
	return out
}

// CoreSeconds estimates what all simulations take of a core, from a study that was
// told nothing yet: of a search that learns, the most that they can.
func CoreSeconds(p *experiment.Plan, s *Study) float64 {
	_, simulations := upperBounds(p, s)
	round := s.Round()
	if round == nil || round.Simulations() == 0 {
		return 0
	}
	each, cost := 0.0, p.Cost()
	for i := range round.Trials {
		// The first round of a halving search has short simulations only.
		each += cost(&experiment.Trial{Point: round.Trials[i].Point, Share: 1})
		if i == 100 {
			break
		}
	}
	each /= float64(min(len(round.Trials), 101))
	return max(round.CoreSeconds(), float64(each*float64(simulations)))
}

// upperBounds bound the numbers of points and simulations.
func upperBounds(p *experiment.Plan, s *Study) (points, simulations int) {
	workloads := max(1, len(p.Workloads))
	points, simulations = len(s.Points()), s.Simulations()/workloads
	if p.IsAdaptive() {
		points = int(p.Search.MaxTrials)
		if size, exact := p.Space().Size(); exact && size < uint64(points) {
			points = int(size)
		}
		if len(p.Baseline) > 0 {
			points++
		}
		simulations = points * p.MaxSeedsPerPoint()
		if p.IsHalving() {
			// Each rung takes half of the one before at most, or one point of each
			// race, and the baseline is tried in addition.
			rungs := p.Rungs()
			simulations = (2*points + rungs*rungs + 1) * len(p.Seeds)
		}
	}
	if p.Search != nil && p.Search.Confirm != nil {
		simulations += 2 * int(*p.Search.Confirm)
	}
	if p.Precision != nil {
		simulations += max(0, p.Precision.MaxCount-len(p.Seeds)) * min(points, maxPrecise)
	}
	return points, simulations * workloads
}

// maxPrecise is for how many points at most a wanted precision takes more seeds.
const maxPrecise = 8
