// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const kvCacheUtilizationScorerType = "kv-cache-utilization-scorer"

// kvCacheUtilizationScorer prefers free memory: 1 − the scraped share of KV
// blocks in use. It is absolute, not relative to the other candidates.
var kvCacheUtilizationScorer = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         kvCacheUtilizationScorerType,
		Registration: version.GIE("gie-v1.0.."),
		Category:     config.LoadCategory,
		Roles:        config.ScorerRole,
		Needs:        config.NeedsCoreMetrics,
	},
	NewScorer: func(*scheduler.Builder, *config.Plugin) scheduler.Scorer { return freeMemory{} },
}

type freeMemory struct{}

func (freeMemory) Score(c *scheduler.Cycle, candidates []int, w scheduler.Weight, scores []float64) {
	for i, e := range candidates {
		scores[i] = w.Of(1 - c.Scrapes[e].KVUsage)
	}
}

func (freeMemory) Rescore(c *scheduler.Cycle, changed, indexOf []int32, w scheduler.Weight, scores []float64) (rescored []int32, ok bool) {
	for _, e := range changed {
		scores[indexOf[e]] = w.Of(1 - c.Scrapes[e].KVUsage)
	}
	return changed, true
}
