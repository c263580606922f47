// SPDX-License-Identifier: Apache-2.0

package epp

const kvCacheUtilizationScorerType = "kv-cache-utilization-scorer"

// kvCacheUtilizationScorer prefers free memory: 1 − the scraped share of KV
// blocks in use. It is absolute, not relative to the other candidates.
var kvCacheUtilizationScorer = factory{
	pluginType: pluginType{
		name:         kvCacheUtilizationScorerType,
		registration: gie("gie-v1.0.."),
		category:     LoadCategory,
		roles:        scorerRole,
		needs:        needsCoreMetrics,
	},
	newScorer: func(*builder, *plugin) scorer { return freeMemory{} },
}

type freeMemory struct{}

func (freeMemory) score(c *cycle, candidates []int, w weight, scores []float64) {
	for i, e := range candidates {
		scores[i] = w.of(1 - c.scrapes[e].KVUsage)
	}
}

func (freeMemory) rescore(c *cycle, changed []int32, w weight, scores []float64) bool {
	for _, e := range changed {
		scores[e] = w.of(1 - c.scrapes[e].KVUsage)
	}
	return true
}
