// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
)

const sloHeadroomTierFilterType = "slo-headroom-tier-filter"

// sloHeadroomTierFilter keeps the endpoints that are predicted to meet a
// request's objectives, with headroom of 0 or more; with the probability
// epsilonExploreNeg it keeps the others, so that they get to show that they have
// recovered. Where all are of one kind, and where nothing is predicted, all stay.
// An endpoint without a prediction counts as one that misses them, and comes
// after those.
var sloHeadroomTierFilter = factory{
	pluginType: pluginType{
		name:         sloHeadroomTierFilterType,
		neededInMay:  []dataKind{latencyData},
		registration: gie("gie-v1.5.."),
		roles:        filterRole,
		parameters:   func() any { return &headroomTierParameters{EpsilonExploreNeg: 0.01} },
		needs: func(p *plugin) []dataKey {
			return []dataKey{{latencyData, p.Parameters.(*headroomTierParameters).LatencyPredictionInfoProducerName}}
		},
		obstacles: func(c *Config, _ *Cluster, p *plugin, at *field.Path) field.ErrorList {
			return severalPredict(c, p, at)
		},
	},
	newFilter: func(b *builder, p *plugin) filter {
		parameters := p.Parameters.(*headroomTierParameters)
		return &headroomTier{
			prediction:  b.prediction(parameters.LatencyPredictionInfoProducerName),
			exploration: parameters.EpsilonExploreNeg,
			random:      stats.NewStream(b.seed, "epp/"+b.profile+"/"+p.Name),
		}
	},
}

type headroomTierParameters struct {
	EpsilonExploreNeg                 float64 `json:"epsilonExploreNeg"`
	LatencyPredictionInfoProducerName string  `json:"latencyPredictionInfoProducerName" versions:"router-v0.9.."`
}

func (p *headroomTierParameters) check(l *loader, path *field.Path) {
	p.LatencyPredictionInfoProducerName = orDefault(p.LatencyPredictionInfoProducerName, latencyData)
	if p.EpsilonExploreNeg < 0 || p.EpsilonExploreNeg > 1 {
		l.add(field.Invalid(path.Child("epsilonExploreNeg"), p.EpsilonExploreNeg, "must be between 0 and 1"))
	}
}

type headroomTier struct {
	prediction  *latencyPrediction
	exploration float64
	random      *stats.Stream

	misses, unknown []int // of the last call
}

func (f *headroomTier) filter(_ *cycle, candidates []int) []int {
	if len(candidates) <= 1 {
		return candidates
	}
	f.misses, f.unknown = f.misses[:0], f.unknown[:0]
	for _, e := range candidates {
		switch {
		case !f.prediction.known[e]:
			f.unknown = append(f.unknown, e)
		case f.prediction.misses(e):
			f.misses = append(f.misses, e)
		}
	}
	others := append(f.misses, f.unknown...) //nolint:gocritic // both are scratch
	f.misses = others
	switch {
	case len(others) == 0 || len(f.unknown) == len(candidates):
		return candidates
	case len(others) == len(candidates) || f.random.Float64() < f.exploration:
		return append(candidates[:0], others...)
	}
	kept := candidates[:0]
	for _, e := range candidates {
		if f.prediction.known[e] && !f.prediction.misses(e) {
			kept = append(kept, e)
		}
	}
	return kept
}
