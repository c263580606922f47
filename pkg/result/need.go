// SPDX-License-Identifier: Apache-2.0

package result

// Need is what a scenario must have for a metric to have values.
type Need int

// The needs.
const (
	NeedsNothing Need = iota
	// NeedsTiers is a KV cache with a lower tier, NeedsCPUTier and
	// NeedsStorageTier one of that kind.
	NeedsTiers
	NeedsCPUTier
	NeedsStorageTier
	// NeedsHandoffs are pools and a router that hand KV over.
	NeedsHandoffs
	// NeedsTransfers is either tiers or hand-overs.
	NeedsTransfers
	// NeedsStability is a KV cache that a stability controller watches.
	NeedsStability
	// NeedsDisruptions are disruptions of replicas.
	NeedsDisruptions
	// NeedsTimeouts are clients that give requests up.
	NeedsTimeouts
	// NeedsRetries are clients that send requests again.
	NeedsRetries
	// NeedsFlowControl is a router that holds requests back.
	NeedsFlowControl
	// NeedsAdmission is a policy that decides which requests enter, and when.
	NeedsAdmission
	// NeedsQueueMetrics is a pool that measures its wait queues.
	NeedsQueueMetrics
	// NeedsAdaptive are weights of the router that change in the run.
	NeedsAdaptive
	// NeedsKVIndex is a router that keeps an index of what caches hold.
	NeedsKVIndex
	// NeedsScaler is a scaler of a pool.
	NeedsScaler
	// NeedsWarmUpRule is a rule that finds the warm-up.
	NeedsWarmUpRule
	// NeedsSpeculation is a pool whose engine speculates.
	NeedsSpeculation
	// NeedsAdapters is a pool that serves LoRA adapters.
	NeedsAdapters
	// NeedsRoute is a route that divides requests among routers.
	NeedsRoute
)

// needTexts say what a scenario must have, for docs/metrics.md.
var needTexts = map[Need]string{
	NeedsTiers:        "KV tiers",
	NeedsCPUTier:      "a CPU tier",
	NeedsStorageTier:  "a storage tier",
	NeedsHandoffs:     "pools that hand KV over",
	NeedsTransfers:    "KV tiers, or pools that hand KV over",
	NeedsStability:    "a stability controller",
	NeedsDisruptions:  "disruptions",
	NeedsTimeouts:     "a client with a timeout",
	NeedsRetries:      "a client with a retry",
	NeedsFlowControl:  "flow control",
	NeedsQueueMetrics: "`engine.queueMetrics`",
	NeedsAdmission:    "an admission policy",
	NeedsAdaptive:     "adaptive weights",
	NeedsKVIndex:      "a router with an index of prefixes",
	NeedsScaler:       "a scaler",
	NeedsWarmUpRule:   "a warm-up rule",
	NeedsSpeculation:  "`engine.speculation`",
	NeedsAdapters:     "a pool with `adapters`",
	NeedsRoute:        "a `route` with backends",
}

// Requirements lists what the scenario must have for the metric to have values,
// in words for people.
func (m Metric) Requirements() []string {
	var words []string
	if m.NeedsTargets() {
		words = append(words, "SLOs")
	}
	if m.NeedsPrices() {
		words = append(words, "a price of every pool")
	}
	if m.NeedsTenants() {
		words = append(words, "two tenants")
	}
	if text, ok := needTexts[m.Needs()]; ok {
		words = append(words, text)
	}
	if m.OnDemand() {
		words = append(words, "something that names it")
	}
	return words
}
