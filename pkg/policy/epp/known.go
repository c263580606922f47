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
	"data-parallel-profile-handler", "header-based-testing-filter", "latency-scorer", "latency-slo-admitter",
	"precise-prefix-cache-producer", "precise-prefix-cache-scorer", "predicted-latency-producer",
	"slo-headroom-tier-filter",
}

// alphaTypes are those of them that the EPP loads with
// --allow-experimental-plugins only.
var alphaTypes = []string{
	"burst-prefix-cache-producer", "dcgm-data-source", "dcgm-extractor", "disaggregatedset-rollout-screener",
	"endpoint-attribute-filter", "endpoint-attribute-scorer", "header-label-affinity-scorer",
	"header-profile-handler", "multicluster-approx-prefix-cache-producer", "multicluster-file-discovery",
	"multicluster-kv-cache-utilization-scorer", "multicluster-metrics-data-source",
	"multicluster-metrics-extractor", "multicluster-prefix-cache-scorer", "multicluster-queue-scorer",
	"multicluster-session-affinity-filter", "p2p-source-producer",
}

// lacking says what of the cluster a type needs that is not simulated.
var lacking = map[string]string{
	"dcgm-data-source":              "metrics of GPUs",
	"dcgm-extractor":                "metrics of GPUs",
	"endpoint-attribute-filter":     "attributes of endpoints",
	"endpoint-attribute-scorer":     "attributes of endpoints",
	"header-label-affinity-scorer":  "headers of requests",
	"header-profile-handler":        "headers of requests",
	"latency-scorer":                "predictions of latency",
	"latency-slo-admitter":          "predictions of latency",
	"precise-prefix-cache-producer": "events of the engines' caches",
	"precise-prefix-cache-scorer":   "events of the engines' caches",
	"predicted-latency-producer":    "predictions of latency",
	"slo-headroom-tier-filter":      "predictions of latency",
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
	alpha := slices.Contains(alphaTypes, typeName)
	if alpha || slices.Contains(unbuiltTypes, typeName) {
		text := fmt.Sprintf("plugin type %q is known to %s but not built yet", typeName, d.name)
		if what, ok := lacking[typeName]; ok {
			text += ": it needs " + what
		}
		if alpha {
			text += "; it is Alpha, and the EPP loads it with --allow-experimental-plugins only"
		}
		return text
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
