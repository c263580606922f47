// SPDX-License-Identifier: Apache-2.0

package lint

import "slices"

var observerWithoutSource = Rule{
	ID: "observer-without-source", Severity: Warning, Version: "router-v0.11", AlsoFinds: []string{"alpha-plugin"},
	Summary: "a latency-observer-producer-hub that is no source of the data layer",
	Why:     "The EPP calls the observer from time to time only if it is among dataLayer.sources. Otherwise the EPP starts, but the observer publishes nothing, and latency-observation-scorer-hub gives all endpoints the same score.",
	Fix:     "List the observer in dataLayer.sources, without extractors.",
	Source:  "llm-d-router's latency-observer-producer-hub",
	check: func(p *pass) {
		for _, scorer := range p.ofType("latency-observation-scorer-hub") {
			if name := scorer.stringValue("ttftPercentilesProducerName"); !p.DataLayer.has(name) {
				p.report(scorer.path, "%s gives all endpoints the same score: its observer %s is not among dataLayer.sources; write {pluginRef: %s} there", scorer.Name, name, name)
			}
		}
	},
}

// has reports whether a plugin is among the sources.
func (l *layer) has(name string) bool {
	return slices.Contains(l.Sources, reference{name})
}
