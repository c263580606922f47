// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

var affinityOnly = Rule{
	ID: "affinity-only", Severity: Warning,
	Summary: "a profile with scorers for affinity and none for load",
	Why:     "If requests share a prefix, such as a system prompt, all of them go to the endpoint that served it first, and the other endpoints stay idle.",
	Fix:     "Add a scorer for load: token-load-scorer, active-request-scorer or queue-scorer.",
	Source:  "llm-d-router #669",
	check: func(p *pass) {
		for _, profile := range p.SchedulingProfiles {
			affine := 0
			relieved := slices.ContainsFunc(profile.with("filter"), func(e *entry) bool {
				return slices.Contains(loadFilters, e.plugin.Type)
			})
			for _, e := range profile.with("scorer") {
				switch {
				case epp.CategoryOf(e.plugin.Type) == config.AffinityCategory:
					affine++
				case e.plugin.Type != "no-hit-lru-scorer" && e.plugin.Type != "context-length-aware" && e.weight() != 0:
					relieved = true
				}
			}
			if affine > 0 && !relieved {
				p.report(profile.path, "profile %s scores by affinity alone, nothing in it knows how busy endpoints are", profile.Name)
			}
		}
	},
}

// loadFilters drop endpoints that are busy.
var loadFilters = []string{"utilization-filter", "utilization-detector", "concurrency-detector", "slo-headroom-tier-filter"}
