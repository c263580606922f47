// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// multiclusterKVCacheUtilizationScorer prefers clusters with free memory: 1 − the
// share of KV blocks in use, on average, in a cluster's pool. One that does not
// say scores 0.
var multiclusterKVCacheUtilizationScorer = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         "multicluster-kv-cache-utilization-scorer",
		Registration: version.GIE("router-v0.10.."),
		Category:     config.LoadCategory,
		Roles:        config.ScorerRole,
		Alpha:        true,
		Needs:        needsPoolMetrics,
		Treatment: func(_ *config.Config, cluster *config.Cluster, _ *config.Plugin) (config.Treatment, string) {
			return treatPinned(cluster, poolKVUsage)
		},
	},
	NewScorer: func(b *scheduler.Builder, _ *config.Plugin) scheduler.Scorer {
		return poolMemory{pinnedOf(b, poolKVUsage)}
	},
}

// poolKVUsage is the mean share of KV blocks in use in a cluster's pool.
var poolKVUsage = attributeName{name: "llm-d.ai/multicluster-kv-cache-utilization"}

type poolMemory struct{ usage pinnedAttribute }

func (s poolMemory) Score(_ *scheduler.Cycle, candidates []int, w scheduler.Weight, scores []float64) {
	for i, e := range candidates {
		raw := 0.0
		if s.usage.known[e] {
			raw = 1 - s.usage.values[e]
		}
		scores[i] = w.Of(raw)
	}
}
