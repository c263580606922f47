// SPDX-License-Identifier: Apache-2.0

package lint

var preciseWithoutWorkers = Rule{
	ID: "precise-without-workers", Severity: Error,
	Summary: "a precise prefix plugin with kvEventsConfig.concurrency 0",
	Why:     "The EPP starts, and crashes at the first KV event: it divides by the number of workers. All versions do.",
	Fix:     "Delete concurrency, which is 4 by default, or write 1 or more.",
	Source:  "llm-d-kv-cache, pkg/kvevents/pool.go",
	check: func(p *pass) {
		for _, w := range p.precise {
			if plugin := p.plugin(w.Name); w.Hears && w.Workers == 0 && plugin != nil {
				p.report(plugin.parameter("kvEventsConfig", "concurrency"), "%s has no worker for KV events: the EPP crashes at the first one", w.Name)
			}
		}
	},
}
