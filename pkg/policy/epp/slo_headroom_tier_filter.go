// SPDX-License-Identifier: Apache-2.0

package epp

import "k8s.io/apimachinery/pkg/util/validation/field"

const sloHeadroomTierFilterType = "slo-headroom-tier-filter"

// sloHeadroomTierFilter keeps the endpoints that are predicted to meet a
// request's objectives, or with a small probability the others.
var sloHeadroomTierFilter = pluginType{
	name:       sloHeadroomTierFilterType,
	roles:      filterRole,
	parameters: func() any { return &headroomTierParameters{EpsilonExploreNeg: 0.01} },
	needs: func(p *plugin) []dataKey {
		return []dataKey{{latencyData, p.Parameters.(*headroomTierParameters).LatencyPredictionInfoProducerName}}
	},
	treatment: unsupported("it needs predictions of latency"),
}

type headroomTierParameters struct {
	EpsilonExploreNeg                 float64 `json:"epsilonExploreNeg"`
	LatencyPredictionInfoProducerName string  `json:"latencyPredictionInfoProducerName"`
}

func (p *headroomTierParameters) check(l *loader, path *field.Path) {
	p.LatencyPredictionInfoProducerName = orDefault(p.LatencyPredictionInfoProducerName, latencyData)
	if p.EpsilonExploreNeg < 0 || p.EpsilonExploreNeg > 1 {
		l.add(field.Invalid(path.Child("epsilonExploreNeg"), p.EpsilonExploreNeg, "must be between 0 and 1"))
	}
}
