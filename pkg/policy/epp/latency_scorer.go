// SPDX-License-Identifier: Apache-2.0

package epp

import "k8s.io/apimachinery/pkg/util/validation/field"

const latencyScorerType = "latency-scorer"

// latencyScorer prefers endpoints by what predictions leave of a request's
// objectives.
var latencyScorer = pluginType{
	name:  latencyScorerType,
	roles: scorerRole,
	parameters: func() any {
		return &latencyScorerParameters{
			TTFTWeight:                0.8,
			TPOTWeight:                0.2,
			HeadroomSelectionStrategy: leastHeadroom,
			CompositeKVWeight:         1,
			CompositeQueueWeight:      1,
			CompositePrefixWeight:     1,
		}
	},
	needs: func(p *plugin) []dataKey {
		parameters := p.Parameters.(*latencyScorerParameters)
		return []dataKey{{latencyData, parameters.LatencyPredictionInfoProducerName}, {prefixMatchData, parameters.PrefixMatchInfoProducerName}}
	},
	treatment: unsupported("it needs predictions of latency"),
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
	LatencyPredictionInfoProducerName string  `json:"latencyPredictionInfoProducerName"`
	PrefixMatchInfoProducerName       string  `json:"prefixMatchInfoProducerName"`
}

func (p *latencyScorerParameters) check(*loader, *field.Path) {
	p.LatencyPredictionInfoProducerName = orDefault(p.LatencyPredictionInfoProducerName, latencyData)
	p.PrefixMatchInfoProducerName = orDefault(p.PrefixMatchInfoProducerName, prefixMatchData)
}
