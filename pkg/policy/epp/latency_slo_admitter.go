// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const latencySLOAdmitterType = "latency-slo-admitter"

// latencySLOAdmitter turns requests of negative priority that state an objective
// away where no endpoint is predicted to meet both, none is idle (no running
// request by the last scrape) and none is cold (less than 2 % of its KV cache in
// use). Where nothing is predicted all are admitted.
var latencySLOAdmitter = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         latencySLOAdmitterType,
		NeededInMay:  []config.DataKind{config.LatencyData},
		Registration: version.GIE("gie-v1.5.."),
		Roles:        config.AdmitterRole,
		Parameters:   func() any { return &latencyAdmitterParameters{} },
		Needs: func(p *config.Plugin) []config.DataKey {
			return []config.DataKey{{Kind: config.LatencyData, Producer: p.Parameters.(*latencyAdmitterParameters).LatencyPredictionInfoProducerName}}
		},
		Obstacles: func(c *config.Config, _ *config.Cluster, p *config.Plugin, at *field.Path) field.ErrorList {
			return severalPredict(c, p, at)
		},
	},
	NewAdmitter: func(b *scheduler.Builder, p *config.Plugin) scheduler.Admitter {
		return latencySLO{b.PredictionOf(p.Parameters.(*latencyAdmitterParameters).LatencyPredictionInfoProducerName)}
	},
}

type latencyAdmitterParameters struct {
	LatencyPredictionInfoProducerName string `json:"latencyPredictionInfoProducerName" versions:"router-v0.9.."`
}

func (p *latencyAdmitterParameters) Check(*config.Loader, *field.Path) {
	p.LatencyPredictionInfoProducerName = config.OrDefault(p.LatencyPredictionInfoProducerName, config.LatencyData)
}

// coldKVUsage is the share of KV blocks in use below which predictions are not
// relied on.
const coldKVUsage = 0.02

type latencySLO struct{ prediction *scheduler.LatencyPrediction }

func (a latencySLO) Admits(c *scheduler.Cycle) bool {
	if c.Priority >= 0 || c.TTFTMs == 0 && c.TPOTMs == 0 {
		return true
	}
	predicted := false
	for e := range c.Scrapes {
		if c.Gone(e) {
			continue
		}
		s := &c.Scrapes[e]
		if s.Running == 0 || s.KVUsage < coldKVUsage || a.prediction.Meets(e) {
			return true
		}
		predicted = predicted || a.prediction.Known[e]
	}
	return !predicted
}
