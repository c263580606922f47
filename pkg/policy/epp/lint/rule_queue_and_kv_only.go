// SPDX-License-Identifier: Apache-2.0

package lint

var queueAndKVOnly = Rule{
	ID: "queue-and-kv-only", Severity: Info,
	Summary: "a profile that scores only by scraped metrics",
	Why:     "Between two scrapes every request of a burst has the same metrics and goes to the same endpoint: balancing by request counts performs better.",
	Fix:     "Add a scorer that uses the EPP's own counters, which change with each request: active-request-scorer or token-load-scorer.",
	Source:  "llm-d-router #298",
	check: func(p *pass) {
		for _, profile := range p.SchedulingProfiles {
			scraped, others := 0, 0
			for _, e := range profile.with("scorer") {
				switch e.plugin.Type {
				case "queue-scorer", "kv-cache-scorer", "kv-cache-utilization-scorer", "running-requests-size-scorer", "load-aware-scorer":
					scraped++
				default:
					others++
				}
			}
			if scraped > 0 && others == 0 {
				p.report(profile.path, "profile %s scores by scraped metrics alone: a burst within one scrape sees no load", profile.Name)
			}
		}
	},
}
