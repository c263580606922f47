// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// multiclusterQueueScorer prefers clusters with short queues:
// (max − q) / (max − min) over the candidates that have a queue size, 1 for all
// if all are equal. One without it scores 0.
var multiclusterQueueScorer = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         "multicluster-queue-scorer",
		Registration: version.GIE("router-v0.10.."),
		Category:     config.LoadCategory,
		Roles:        config.ScorerRole,
		Alpha:        true,
		Needs:        needsPoolMetrics,
		Treatment: func(_ *config.Config, cluster *config.Cluster, _ *config.Plugin) (config.Treatment, string) {
			return treatPinned(cluster, poolQueueSize)
		},
	},
	NewScorer: func(b *scheduler.Builder, _ *config.Plugin) scheduler.Scorer {
		return poolQueue{pinnedOf(b, poolQueueSize)}
	},
}

// poolQueueSize is the mean number of requests that wait in a cluster's pool.
var poolQueueSize = attributeName{name: "llm-d.ai/multicluster-queue-size"}

type poolQueue struct{ size pinnedAttribute }

func (s poolQueue) Score(_ *scheduler.Cycle, candidates []int, w scheduler.Weight, scores []float64) {
	all := s.size.spread(candidates)
	for i, e := range candidates {
		raw := 0.0
		switch {
		case !s.size.known[e]:
		case all.Min == all.Max:
			raw = 1
		default:
			raw = (all.Max - s.size.values[e]) / (all.Max - all.Min)
		}
		scores[i] = w.Of(raw)
	}
}
