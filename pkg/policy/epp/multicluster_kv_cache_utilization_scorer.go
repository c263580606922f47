// SPDX-License-Identifier: Apache-2.0

package epp

// multiclusterKVCacheUtilizationScorer prefers clusters with free memory: 1 − the
// share of KV blocks in use, on average, in a cluster's pool. One that does not
// say scores 0.
var multiclusterKVCacheUtilizationScorer = factory{
	pluginType: pluginType{
		name:         "multicluster-kv-cache-utilization-scorer",
		registration: gie("router-v0.10.."),
		category:     LoadCategory,
		roles:        scorerRole,
		alpha:        true,
		needs:        needsPoolMetrics,
		treatment: func(_ *Config, cluster *Cluster, _ *plugin) (Treatment, string) {
			return treatPinned(cluster, poolKVUsage)
		},
	},
	newScorer: func(b *builder, _ *plugin) scorer { return poolMemory{pinnedOf(b, poolKVUsage)} },
}

// poolKVUsage is the mean share of KV blocks in use in a cluster's pool.
var poolKVUsage = attributeName{name: "llm-d.ai/multicluster-kv-cache-utilization"}

type poolMemory struct{ usage pinnedAttribute }

func (s poolMemory) score(_ *cycle, candidates []int, w weight, scores []float64) {
	for i, e := range candidates {
		raw := 0.0
		if s.usage.known[e] {
			raw = 1 - s.usage.values[e]
		}
		scores[i] = w.of(raw)
	}
}
