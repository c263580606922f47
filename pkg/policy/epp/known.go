// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
)

// successors say what became of types that newer versions do not have, and of
// names that are not the EPP's.
var successors = map[string]string{
	"base-model-to-header":          "it belongs to another program, the body-based router",
	"body-field-to-header":          "it belongs to another program, the body-based router",
	"kv-cache-scorer":               "it is kv-cache-utilization-scorer now",
	"lmetric-scorer":                "it is " + NewerThanKnown,
	"lora-affinity-filter":          "lora-affinity-scorer took its place",
	"model-server-protocol-metrics": "it is core-metrics-extractor now",
	"model-server-protocol-models":  "it is models-data-extractor now",
	"no-op-plugin":                  "it belongs to another program, the body-based router",
	"predicted-latency-scorer":      "it is predicted-latency-producer and latency-scorer now",
}

// whyNot says why a version has no type of a name, and what has.
func (r registry) whyNot(d dialect, typeName string) string {
	text := fmt.Sprintf("%s has no plugin type %q", d.name, typeName)
	var names []string
	found := false
	for _, t := range r {
		switch {
		case t.in(d):
			names = append(names, t.name)
		case t.name == typeName:
			found = true
			text += "; " + t.whyNot(d)
			if t.successor != "" && d.framework >= router11 {
				text += "; use " + t.successor
			}
		}
	}
	successor, gone := successors[typeName]
	if gone {
		text += "; " + successor
	}
	if found || gone {
		return text
	}
	return text + d.perhapsNewer() + didYouMean(typeName, names)
}

// whyNot says when there is the type; llm-d's own are never in GIE's versions.
func (t *pluginType) whyNot(d dialect) string {
	if t.own && d.own == 0 {
		return "only llm-d's versions have it"
	}
	return t.versions.whyNot(d.clock(t.own))
}
