// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/policy/epp/document"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// successors say what became of types that newer versions do not have, and of
// names that are not the EPP's.
var successors = map[string]string{
	"base-model-to-header":          "it belongs to another program, the body-based router",
	"body-field-to-header":          "it belongs to another program, the body-based router",
	"kv-cache-scorer":               "it is kv-cache-utilization-scorer now",
	"lora-affinity-filter":          "lora-affinity-scorer took its place",
	"model-server-protocol-metrics": "it is core-metrics-extractor now",
	"model-server-protocol-models":  "it is models-data-extractor now",
	"no-op-plugin":                  "it belongs to another program, the body-based router",
	"predicted-latency-scorer":      "it is predicted-latency-producer and latency-scorer now",
}

// UnavailableReason says why a version has no type of a name, and what has.
func (r Registry) UnavailableReason(d version.Dialect, typeName string) string {
	text := fmt.Sprintf("%s has no plugin type %q", d.Name, typeName)
	var names []string
	found := false
	for _, t := range r {
		switch {
		case t.In(d):
			names = append(names, t.Name)
		case t.Name == typeName:
			found = true
			text += "; " + t.UnavailableReason(d)
			if t.Successor != "" && d.Framework >= version.Router11 {
				text += "; use " + t.Successor
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
	if news, ok := version.Announced(typeName); ok {
		return text + "; " + news
	}
	return text + d.PerhapsNewer() + document.DidYouMean(typeName, names)
}

// UnavailableReason says when there is the type; llm-d's own are never in GIE's versions.
func (t *PluginType) UnavailableReason(d version.Dialect) string {
	if t.Own && d.Own == 0 {
		return "only llm-d's versions have it"
	}
	return t.Versions.UnavailableReason(d.Clock(t.Own))
}
