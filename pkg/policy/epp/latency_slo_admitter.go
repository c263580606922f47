// SPDX-License-Identifier: Apache-2.0

package epp

import "k8s.io/apimachinery/pkg/util/validation/field"

const latencySLOAdmitterType = "latency-slo-admitter"

// latencySLOAdmitter turns requests of negative priority away where no endpoint
// is predicted to meet their objectives.
var latencySLOAdmitter = pluginType{
	name:       latencySLOAdmitterType,
	roles:      admitterRole,
	parameters: func() any { return &latencyAdmitterParameters{} },
	needs: func(p *plugin) []dataKey {
		return []dataKey{{latencyData, p.Parameters.(*latencyAdmitterParameters).LatencyPredictionInfoProducerName}}
	},
	treatment: unsupported("it needs predictions of latency"),
}

type latencyAdmitterParameters struct {
	LatencyPredictionInfoProducerName string `json:"latencyPredictionInfoProducerName"`
}

func (p *latencyAdmitterParameters) check(*loader, *field.Path) {
	p.LatencyPredictionInfoProducerName = orDefault(p.LatencyPredictionInfoProducerName, latencyData)
}
