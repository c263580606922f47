// SPDX-License-Identifier: Apache-2.0

package lint

var filterMayEmpty = Rule{
	ID: "filter-may-empty", Severity: Warning,
	Summary: "a filter of busy endpoints that may leave none",
	Why:     "Where a profile is left with no endpoint the EPP does not fall back: the request is answered with 429. That is admission control by a filter, and it holds for requests of any priority.",
	Fix:     "Set fallbackOnEmpty on utilization-filter; use utilization-detector, which keeps all where it would keep none; or leave it so if that is meant.",
	Source:  "the EPP's scheduler",
	check: func(p *pass) {
		for _, profile := range p.SchedulingProfiles {
			for _, e := range profile.with("filter") {
				hard := e.plugin.Type == "concurrency-detector" || e.plugin.Type == "utilization-filter" && !e.plugin.flag("fallbackOnEmpty")
				if hard && e.plugin.path != nil {
					p.report(e.path, "where all endpoints are busy %s leaves none, and profile %s answers 429", e.PluginRef, profile.Name)
				}
			}
		}
	},
}
