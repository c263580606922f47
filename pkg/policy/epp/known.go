// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/internal/spelling"
)

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
	text := fmt.Sprintf("%s has no plugin type %q", d.name, typeName)
	if why, ok := otherVersions[typeName]; ok {
		return text + "; " + why
	}
	var names []string
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
