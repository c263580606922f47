// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const latencyScorerType = "latency-scorer"

// latencyScorer prefers endpoints by headroom, what predictions leave of a
// request's objectives. Where some endpoints meet both, the others score 0.
// Where none does, only the best of these kinds scores, the one with the least
// deficit highest: those to which nothing was sent, those that miss only the time
// between tokens, those that miss only that to the first one, the rest.
//
// Of those that score, c = ttftWeight·t + tpotWeight·p with the sizes of the
// headrooms mapped to [0, 1], 0.5 where all are the same; a dimension in which
// all are the same has no weight next to one in which they differ. The score is
// (⌊100·(1 − c)⌋ + 1)/100, with c in place of 1 − c for the strategy most.
//
// Without any prediction it is the weighted mean of free KV cache,
// (longest queue − queue)/longest queue and the share of matched blocks, to
// hundredths.
var latencyScorer = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         latencyScorerType,
		NeededInMay:  []config.DataKind{config.LatencyData, config.PrefixMatchData},
		Registration: version.GIE("gie-v1.5.."),
		Category:     config.LoadCategory,
		Roles:        config.ScorerRole,
		Parameters: func() any {
			return &latencyScorerParameters{
				TTFTWeight:                0.8,
				TPOTWeight:                0.2,
				HeadroomSelectionStrategy: leastHeadroom,
				CompositeKVWeight:         1,
				CompositeQueueWeight:      1,
				CompositePrefixWeight:     1,
			}
		},
		Needs: func(p *config.Plugin) []config.DataKey {
			parameters := p.Parameters.(*latencyScorerParameters)
			return []config.DataKey{{Kind: config.LatencyData, Producer: parameters.LatencyPredictionInfoProducerName}, {Kind: config.PrefixMatchData, Producer: parameters.PrefixMatchInfoProducerName}}
		},
		Obstacles: func(c *config.Config, _ *config.Cluster, p *config.Plugin, at *field.Path) field.ErrorList {
			return append(checkReadsSharedMatch(c, p, at), severalPredict(c, p, at)...)
		},
	},
	NewScorer: func(b *scheduler.Builder, p *config.Plugin) scheduler.Scorer {
		parameters := p.Parameters.(*latencyScorerParameters)
		return &headroomScorer{
			latencyScorerParameters: parameters,
			prediction:              b.PredictionOf(parameters.LatencyPredictionInfoProducerName),
			match:                   b.PrefixMatch(parameters.PrefixMatchInfoProducerName),
		}
	},
}

// The strategies: fill the endpoint that is nearest to its objectives first, or
// take the one that is farthest. The EPP takes any other text, for the first.
const (
	leastHeadroom = "least"
	mostHeadroom  = "most"
)

type latencyScorerParameters struct {
	TTFTWeight                        float64 `json:"ttftWeight"`
	TPOTWeight                        float64 `json:"tpotWeight"`
	HeadroomSelectionStrategy         string  `json:"headroomSelectionStrategy"`
	CompositeKVWeight                 float64 `json:"compositeKVWeight"`
	CompositeQueueWeight              float64 `json:"compositeQueueWeight"`
	CompositePrefixWeight             float64 `json:"compositePrefixWeight"`
	LatencyPredictionInfoProducerName string  `json:"latencyPredictionInfoProducerName" versions:"router-v0.9.."`
	PrefixMatchInfoProducerName       string  `json:"prefixMatchInfoProducerName" versions:"router-v0.9.."`
}

func (p *latencyScorerParameters) Check(*config.Loader, *field.Path) {
	p.LatencyPredictionInfoProducerName = config.OrDefault(p.LatencyPredictionInfoProducerName, config.LatencyData)
	p.PrefixMatchInfoProducerName = config.OrDefault(p.PrefixMatchInfoProducerName, config.PrefixMatchData)
}
