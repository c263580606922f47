// SPDX-License-Identifier: Apache-2.0

package epp

import "fmt"

type registration struct {
	typeName string
	llmd     bool
	versions string
}

// registrations say which versions register which types, read from their
// registries. llm-d's own types go by the versions of its scheduler and router,
// also where those are built on a GIE that lacks them; the others by GIE's until
// the scheduler took the code over. Both bounds are inclusive.
var registrations = []registration{
	{"active-request-scorer", true, "scheduler-v0.3.."},
	{"agent-identity", false, "router-v0.9.."},
	{"always-disagg-multimodal-decider", true, "scheduler-v0.7.."},
	{"always-disagg-pd-decider", true, "scheduler-v0.6.."},
	{"anthropic-parser", false, "router-v0.9.."},
	{"approx-prefix-cache-producer", false, "gie-v1.5.."},
	{"burst-prefix-cache-producer", false, "router-v0.10.."},
	{"by-label", true, "scheduler-v0.2..router-main"},
	{"by-label-selector", true, "scheduler-v0.2..router-main"},
	{"concurrency-detector", false, "gie-v1.5.."},
	{"context-length-aware", true, "scheduler-v0.7.."},
	{"core-metrics-extractor", false, "gie-v1.5.."},
	{"data-parallel-profile-handler", true, "scheduler-v0.4.."},
	{"dcgm-data-source", false, "router-v0.10.."},
	{"dcgm-extractor", false, "router-v0.10.."},
	{"decision-tree-filter", false, "..gie-v0.5"},
	{"decode-filter", true, "scheduler-v0.2..scheduler-v0.6"}, // oldDecodeFilter
	{"decode-filter", true, "scheduler-v0.7.."},
	{"destination-endpoint-served-verifier", false, "gie-v1.2.."},
	{"disagg-headers-handler", true, "scheduler-v0.7..router-main"},
	{"disagg-profile-handler", true, "scheduler-v0.7.."},
	{"disaggregatedset-rollout-screener", false, "router-v0.10.."},
	{"edf-ordering-policy", false, "scheduler-v0.6.."},
	{"encode-filter", true, "scheduler-v0.7.."},
	{"endpoint-attribute-filter", false, "router-v0.10.."},
	{"endpoint-attribute-scorer", false, "router-v0.10.."},
	{"endpoint-attribute-weight-scorer", false, "router-v0.11.."},
	{"endpoint-notification-source", false, "gie-v1.5.."},
	{"fcfs-ordering-policy", false, "scheduler-v0.6.."},
	{"file-discovery", false, "router-v0.9.."},
	{"global-strict-fairness-policy", false, "scheduler-v0.6.."},
	{"header-based-testing-filter", false, ".."},
	{"header-label-affinity-scorer", false, "router-v0.10.."},
	{"header-profile-handler", false, "router-v0.10.."},
	{"inflight-load-producer", false, "gie-v1.5.."},
	{"k8s-notification-source", false, "gie-v1.4.."},
	{"k8s-peer-discovery", false, "router-v0.11.."},
	{"kv-cache-scorer", false, "..gie-v0.5"},
	{"kv-cache-utilization-scorer", false, "gie-v1.0.."},
	{"label-producer", false, "router-v0.11.."},
	{"label-selector-filter", false, "scheduler-520af478.."},
	{"latency-observation-scorer", false, "router-v0.11.."},
	{"latency-scorer", false, "gie-v1.5.."},
	{"latency-slo-admitter", false, "gie-v1.5.."},
	{"least-kv-cache-filter", false, "..gie-v0.5"},
	{"least-queue-filter", false, "..gie-v0.5"},
	{"load-aware-scorer", true, "scheduler-v0.2.."},
	{"lora-affinity-filter", false, "..gie-v0.5"},
	{"lora-affinity-scorer", false, "gie-v1.0.."},
	{"max-saturation-detector", false, "router-v0.11.."},
	{"low-queue-filter", false, "..gie-v0.5"},
	{"max-score-picker", false, ".."},
	{"metrics-data-source", false, "gie-v1.3.."},
	{"mm-embeddings-cache-producer", false, "router-v0.9.."},
	{"mm-embeddings-cache-scorer", false, "router-v0.9.."},
	{"model-server-protocol-metrics", false, "gie-v1.3..gie-v1.4"},
	{"model-server-protocol-models", true, "scheduler-v0.6..scheduler-v0.8"},
	{"models-data-extractor", false, "scheduler-520af478.."},
	{"models-data-source", true, "scheduler-v0.6.."},
	{"multicluster-approx-prefix-cache-producer", false, "router-v0.10.."},
	{"multicluster-file-discovery", false, "router-v0.10.."},
	{"multicluster-kv-cache-utilization-scorer", false, "router-v0.10.."},
	{"multicluster-metrics-data-source", false, "router-v0.10.."},
	{"multicluster-metrics-extractor", false, "router-v0.10.."},
	{"multicluster-prefix-cache-scorer", false, "router-v0.10.."},
	{"multicluster-queue-scorer", false, "router-v0.10.."},
	{"multicluster-session-affinity-filter", false, "router-v0.10.."},
	{"no-hit-lru-scorer", true, "scheduler-v0.4.."},
	{"openai-parser", false, "gie-v1.5.."},
	{"p2p-source-producer", false, "router-v0.10.."},
	{"passthrough-parser", false, "gie-v1.5.."},
	{"pd-profile-handler", true, "scheduler-v0.2..router-main"},
	{"precise-prefix-cache-producer", false, "router-v0.9.."},
	{"precise-prefix-cache-scorer", true, "scheduler-v0.3..router-main"},
	{"predicted-latency-producer", false, "gie-v1.5.."},
	{"predicted-latency-scorer", false, "gie-v1.3..gie-v1.5"},
	{"prefill-filter", true, "scheduler-v0.2..scheduler-v0.6"}, // oldPrefillFilter
	{"prefill-filter", true, "scheduler-v0.7.."},
	{"prefill-header-handler", true, "scheduler-v0.2..router-main"},
	{"prefix-based-pd-decider", true, "scheduler-v0.6.."},
	{"prefix-cache-affinity-filter", false, "gie-v1.5.."},
	{"prefix-cache-scorer", true, "scheduler-v0.2..scheduler-v0.2"}, // modalPrefixCacheScorer
	{"prefix-cache-scorer", false, "..gie-v1.4"},                    // legacyPrefixCacheScorer
	{"prefix-cache-scorer", false, "gie-v1.5.."},
	{"priority-holdback-policy", false, "router-v0.10.."},
	{"priority-then-time-eviction-order-policy", false, "router-v0.10.."},
	{"probabilistic-admitter", false, "scheduler-520af478.."},
	{"program-aware-fairness", false, "router-v0.9.."},
	{"queue-scorer", false, ".."},
	{"random-picker", false, ".."},
	{"request-attribute-reporter", false, "gie-v1.4.."},
	{"round-robin-fairness-policy", false, "scheduler-v0.6.."},
	{"running-requests-size-scorer", false, "gie-v1.3.."},
	{"session-affinity-filter", false, "router-v0.9.."},
	{"session-affinity-scorer", true, "scheduler-v0.2.."},
	{"session-id-producer", false, "router-v0.9.."},
	{"session-state-producer", false, "router-v0.11.."},
	{"sglanghttp-parser", false, "router-main.."},
	{"sheddable-eviction-filter", false, "router-v0.10.."},
	{"single-profile-handler", false, ".."},
	{"slo-deadline-ordering-policy", false, "gie-v1.5.."},
	{"slo-headroom-tier-filter", false, "gie-v1.5.."},
	{"soft-reflective-ceiling-policy", false, "router-v0.10.."},
	{"static-usage-limit-policy", false, "gie-v1.5.."},
	{"token-load-scorer", false, "gie-v1.5.."},
	{"token-producer", false, "scheduler-520af478.."},
	{"tokenizer", true, "scheduler-520af478..router-main"},
	{"tokenizer", true, "scheduler-v0.7..scheduler-v0.8"}, // oldTokenizer
	{"topology-affinity-filter", false, "router-v0.10.."},
	{"topology-affinity-scorer", false, "router-v0.10.."},
	{"topology-extractor", false, "router-v0.10.."},
	{"utilization-detector", false, "gie-v1.5.."},
	{"utilization-filter", false, "router-v0.10.."},
	{"vertexai-parser", false, "scheduler-520af478.."},
	{"vllmgrpc-parser", false, "gie-v1.5.."},
	{"vllmhttp-parser", false, "router-v0.9.."},
	{"weighted-random-picker", false, "gie-v1.0.."},
}

// registered gives each type its versions. Types of one name are in the order of
// their rows.
func registered(types ...*pluginType) []*pluginType {
	rows := map[string]int{}
	for _, t := range types {
		r := registrationOf(t.name, rows[t.name])
		rows[t.name]++
		t.own, t.versions = r.llmd, parseRange(r.versions)
	}
	return types
}

func registrationOf(typeName string, row int) registration {
	for _, r := range registrations {
		if r.typeName != typeName {
			continue
		}
		if row == 0 {
			return r
		}
		row--
	}
	panic(fmt.Sprintf("epp: no version registers %q", typeName))
}
