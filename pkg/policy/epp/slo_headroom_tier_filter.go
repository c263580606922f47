// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/stats"
)

const sloHeadroomTierFilterType = "slo-headroom-tier-filter"

// sloHeadroomTierFilter keeps the endpoints that are predicted to meet a
// request's objectives, with headroom of 0 or more; with the probability
// epsilonExploreNeg it keeps the others, so that they get to show that they have
// recovered. Where all are of one kind, and where nothing is predicted, all stay.
// An endpoint without a prediction counts as one that misses them, and comes
// after those.
var sloHeadroomTierFilter = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         sloHeadroomTierFilterType,
		NeededInMay:  []config.DataKind{config.LatencyData},
		Registration: version.GIE("gie-v1.5.."),
		Roles:        config.FilterRole,
		Parameters:   func() any { return &headroomTierParameters{EpsilonExploreNeg: 0.01} },
		Needs: func(p *config.Plugin) []config.DataKey {
			return []config.DataKey{{Kind: config.LatencyData, Producer: p.Parameters.(*headroomTierParameters).LatencyPredictionInfoProducerName}}
		},
		Obstacles: func(c *config.Config, _ *config.Cluster, p *config.Plugin, at *field.Path) field.ErrorList {
			return severalPredict(c, p, at)
		},
	},
	NewFilter: func(b *scheduler.Builder, p *config.Plugin) scheduler.Filter {
		parameters := p.Parameters.(*headroomTierParameters)
		return &headroomTier{
			prediction:  b.PredictionOf(parameters.LatencyPredictionInfoProducerName),
			exploration: parameters.EpsilonExploreNeg,
			random:      stats.NewStream(b.Seed, "epp/"+b.Profile+"/"+p.Name),
		}
	},
}

type headroomTierParameters struct {
	EpsilonExploreNeg                 float64 `json:"epsilonExploreNeg"`
	LatencyPredictionInfoProducerName string  `json:"latencyPredictionInfoProducerName" versions:"router-v0.9.."`
}

func (p *headroomTierParameters) Check(l *config.Loader, path *field.Path) {
	p.LatencyPredictionInfoProducerName = config.OrDefault(p.LatencyPredictionInfoProducerName, config.LatencyData)
	if p.EpsilonExploreNeg < 0 || p.EpsilonExploreNeg > 1 {
		l.Add(field.Invalid(path.Child("epsilonExploreNeg"), p.EpsilonExploreNeg, "must be between 0 and 1"))
	}
}

type headroomTier struct {
	prediction  *scheduler.LatencyPrediction
	exploration float64
	random      *stats.Stream

	misses, unknown []int // of the last call
}

func (f *headroomTier) Filter(_ *scheduler.Cycle, candidates []int) []int {
	if len(candidates) <= 1 {
		return candidates
	}
	f.misses, f.unknown = f.misses[:0], f.unknown[:0]
	for _, e := range candidates {
		switch {
		case !f.prediction.Known[e]:
			f.unknown = append(f.unknown, e)
		case f.prediction.Misses(e):
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
		if f.prediction.Known[e] && !f.prediction.Misses(e) {
			kept = append(kept, e)
		}
	}
	return kept
}
