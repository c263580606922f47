// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy"
)

const loraAffinityScorerType = "lora-affinity-scorer"

// loraAffinityScorer prefers engines that have the request's LoRA adapter: 1
// where it is active, 0.8 where there is room for one more, 0.6 where it waits
// for room, else 0, by the last scrape. An engine that serves no adapters
// scores 0.
var loraAffinityScorer = factory{
	pluginType: pluginType{
		name:         loraAffinityScorerType,
		registration: gie("gie-v1.0.."),
		category:     AffinityCategory,
		roles:        scorerRole,
		needs:        needsCoreMetrics,
	},
	newScorer: func(*builder, *plugin) scorer { return loraAffinity{} },
}

type loraAffinity struct{}

func (loraAffinity) score(c *cycle, candidates []int, w weight, scores []float64) {
	if c.adapters == nil {
		fill(scores, 0)
		return
	}
	for i, e := range candidates {
		scores[i] = w.of(adapterScore(&c.adapters[e], c.adapter))
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
