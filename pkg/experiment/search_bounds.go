// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// IsAdaptive reports whether there are rounds that depend on others' results, apart from
// those for more seeds.
func (p *Plan) IsAdaptive() bool {
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

// IsHalving reports whether the search goes from little effort to more.
func (p *Plan) IsHalving() bool {
	return p.Search.Algorithm == v1alpha1.SuccessiveHalvingSearch || p.Search.Algorithm == v1alpha1.HyperbandSearch
}

// Rungs is how many steps the effort takes at most, and so how many races there
// are.
func (p *Plan) Rungs() int {
	reduction, minimum := 3., 0.
	if h := p.settings().Halving; h.Reduction > 0 {
		reduction, minimum = float64(h.Reduction), h.Minimum
	}
	if minimum == 0 {
		return 3
	}
	return 2 + int(-stats.Log(minimum)/stats.Log(reduction))
}

// MaxSeedsPerPoint is how many simulations the search gives a point at most.
func (p *Plan) MaxSeedsPerPoint() int {
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
