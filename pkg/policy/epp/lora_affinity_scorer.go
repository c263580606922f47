// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const loraAffinityScorerType = "lora-affinity-scorer"

// loraAffinityScorer prefers engines that have the request's LoRA adapter: 1
// where it is active, 0.8 where there is room for one more, 0.6 where it waits
// for room, else 0, by the last scrape. An engine that serves no adapters
// scores 0.
var loraAffinityScorer = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         loraAffinityScorerType,
		Registration: version.GIE("gie-v1.0.."),
		Category:     config.AffinityCategory,
		Roles:        config.ScorerRole,
		Needs:        config.NeedsCoreMetrics,
	},
	NewScorer: func(*scheduler.Builder, *config.Plugin) scheduler.Scorer { return loraAffinity{} },
}

type loraAffinity struct{}

func (loraAffinity) Score(c *scheduler.Cycle, candidates []int, w scheduler.Weight, scores []float64) {
	if c.Adapters == nil {
		fill(scores, 0)
		return
	}
	for i, e := range candidates {
		scores[i] = w.Of(adapterScore(&c.Adapters[e], c.Adapter))
	}
}

func adapterScore(a *policy.Adapters, wanted int32) float64 {
	switch {
	case slices.Contains(a.Active, wanted):
		return 1
	case len(a.Active)+len(a.Waiting) < a.Max:
		return 0.8
	case slices.Contains(a.Waiting, wanted):
		return 0.6
	default:
		return 0
	}
}
