// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/internal/spelling"
)

// unbuiltTypes are the types that router-v0.10 and router-main register and
// that are not built here.
var unbuiltTypes = []string{
	"always-disagg-multimodal-decider", "always-disagg-pd-decider", "data-parallel-profile-handler",
	"disagg-headers-handler", "disagg-profile-handler", "edf-ordering-policy", "header-based-testing-filter",
	"latency-scorer", "latency-slo-admitter", "mm-embeddings-cache-producer", "mm-embeddings-cache-scorer",
	"models-data-extractor", "models-data-source", "pd-profile-handler", "precise-prefix-cache-producer",
	"precise-prefix-cache-scorer", "predicted-latency-producer", "prefill-header-handler",
	"prefix-based-pd-decider", "program-aware-fairness", "request-attribute-reporter",
	"round-robin-fairness-policy", "session-id-producer", "slo-deadline-ordering-policy",
	"slo-headroom-tier-filter", "tokenizer",
}

// alphaTypes are those of them that the EPP loads with
// --allow-experimental-plugins only.
var alphaTypes = []string{
	"burst-prefix-cache-producer", "dcgm-data-source", "dcgm-extractor", "disaggregatedset-rollout-screener",
	"endpoint-attribute-filter", "endpoint-attribute-scorer", "header-label-affinity-scorer",
	"header-profile-handler", "multicluster-approx-prefix-cache-producer", "multicluster-file-discovery",
	"multicluster-kv-cache-utilization-scorer", "multicluster-metrics-data-source",
	"multicluster-metrics-extractor", "multicluster-prefix-cache-scorer", "multicluster-queue-scorer",
	"multicluster-session-affinity-filter", "p2p-source-producer", "priority-holdback-policy",
	"priority-then-time-eviction-order-policy", "sheddable-eviction-filter", "soft-reflective-ceiling-policy",
	"topology-affinity-filter", "topology-affinity-scorer", "topology-extractor",
}

// otherVersions says what became of types of other versions, and which came
// later.
var otherVersions = map[string]string{
	"base-model-to-header":          "only gie versions have it",
	"body-field-to-header":          "only gie versions have it",
	"decision-tree-filter":          "gie-v1.0 dropped it",
	"kv-cache-scorer":               "since gie-v1.0 it is kv-cache-utilization-scorer",
	"least-kv-cache-filter":         "gie-v1.0 dropped it",
	"least-queue-filter":            "gie-v1.0 dropped it",
	"lmetric-scorer":                "it is newer",
	"latency-observation-scorer":    "it is newer",
	"lora-affinity-filter":          "gie-v1.0 dropped it",
	"low-queue-filter":              "gie-v1.0 dropped it",
	"model-server-protocol-metrics": "since gie-v1.5 it is core-metrics-extractor",
	"model-server-protocol-models":  "it is models-data-extractor now",
	"no-op-plugin":                  "gie-v1.5 dropped it",
	"predicted-latency-scorer":      "since gie-v1.5 it is predicted-latency-producer and latency-scorer",
	"sglanghttp-parser":             "router-main has it",
}

// whyNot says why a type has no pluginType.
func whyNot(d dialect, typeName string) string {
	switch {
	case slices.Contains(unbuiltTypes, typeName):
		return fmt.Sprintf("plugin type %q is known to %s but not built yet", typeName, d.name)
	case slices.Contains(alphaTypes, typeName):
		return fmt.Sprintf("plugin type %q is known to %s but not built yet; it is Alpha, and the EPP loads it with --allow-experimental-plugins only", typeName, d.name)
	}
	text := fmt.Sprintf("%s has no plugin type %q", d.name, typeName)
	if why, ok := otherVersions[typeName]; ok {
		return text + "; " + why
	}
	names := slices.Concat(unbuiltTypes, alphaTypes)
	for _, t := range registry {
		names = append(names, t.name)
	}
	return text + didYouMean(typeName, names)
}

// didYouMean suggests the name that is nearest, if one is near.
func didYouMean(name string, known []string) string {
	best, nearest := len(name)/4+1, ""
	slices.Sort(known)
	for _, k := range known {
		if distance := spelling.Distance(strings.ToLower(name), strings.ToLower(k)); distance < best {
			best, nearest = distance, k
		}
	}
	if nearest == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", nearest)
}
