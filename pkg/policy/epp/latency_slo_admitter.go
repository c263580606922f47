// SPDX-License-Identifier: Apache-2.0

package epp

import "k8s.io/apimachinery/pkg/util/validation/field"

const latencySLOAdmitterType = "latency-slo-admitter"

// latencySLOAdmitter turns requests of negative priority that state an objective
// away where no endpoint is predicted to meet both, none is idle (no running
// request by the last scrape) and none is cold (less than 2 % of its KV cache in
// use). Where nothing is predicted all are admitted.
var latencySLOAdmitter = factory{
	pluginType: pluginType{
		name:         latencySLOAdmitterType,
		neededInMay:  []dataKind{latencyData},
		registration: gie("gie-v1.5.."),
		roles:        admitterRole,
		parameters:   func() any { return &latencyAdmitterParameters{} },
		needs: func(p *plugin) []dataKey {
			return []dataKey{{latencyData, p.Parameters.(*latencyAdmitterParameters).LatencyPredictionInfoProducerName}}
		},
		obstacles: func(c *Config, _ *Cluster, p *plugin, at *field.Path) field.ErrorList {
			return severalPredict(c, p, at)
		},
	},
	newAdmitter: func(b *builder, p *plugin) admitter {
		return latencySLO{b.prediction(p.Parameters.(*latencyAdmitterParameters).LatencyPredictionInfoProducerName)}
	},
}

type latencyAdmitterParameters struct {
	LatencyPredictionInfoProducerName string `json:"latencyPredictionInfoProducerName" versions:"router-v0.9.."`
}

func (p *latencyAdmitterParameters) check(*loader, *field.Path) {
	p.LatencyPredictionInfoProducerName = orDefault(p.LatencyPredictionInfoProducerName, latencyData)
}

// coldKVUsage is the share of KV blocks in use below which predictions are not
// relied on.
const coldKVUsage = 0.02

type latencySLO struct{ prediction *latencyPrediction }

func (a latencySLO) admits(c *cycle) bool {
	if c.priority >= 0 || c.ttftMs == 0 && c.tpotMs == 0 {
		return true
	}
	predicted := false
	for e := range c.scrapes {
		if c.gone(e) {
			continue
		}
		s := &c.scrapes[e]
		if s.Running == 0 || s.KVUsage < coldKVUsage || a.prediction.meets(e) {
			return true
		}
		predicted = predicted || a.prediction.known[e]
	}
	return !predicted
}
