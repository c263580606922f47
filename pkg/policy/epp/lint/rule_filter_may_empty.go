// SPDX-License-Identifier: Apache-2.0

package lint

var filterMayEmpty = Rule{
	ID: "filter-may-empty", Severity: Warning,
	Summary: "a filter of busy endpoints that may remove all endpoints",
	Why:     "If the filters remove every endpoint, the EPP has no fallback: it answers the request with 429. The filter then acts as admission control, for requests of any priority.",
	Fix:     "Set fallbackOnEmpty on utilization-filter, or use utilization-detector, which keeps all endpoints rather than none. Keep the filter if you intend the rejections.",
	Source:  "the EPP's scheduler",
	check: func(p *pass) {
		for _, profile := range p.SchedulingProfiles {
			for _, e := range profile.with("filter") {
				hard := e.plugin.Type == "concurrency-detector" || e.plugin.Type == "utilization-filter" && !e.plugin.flag("fallbackOnEmpty")
				if hard && e.plugin.path != nil {
					p.report(e.path, "if all endpoints are busy, %s removes all of them, and profile %s answers with 429", e.PluginRef, profile.Name)
				}
			}
		}
	},
}
