// SPDX-License-Identifier: Apache-2.0

package lint

import "slices"

var affinityBeforeRoles = Rule{
	ID: "affinity-before-roles", Severity: Warning,
	Summary: "prefix-cache-affinity-filter before a filter by role or label",
	Why:     "Filters run in the order of the profile. The affinity filter may leave only endpoints that the next filter removes. The EPP then answers the request with 429.",
	Fix:     "Move the filters by role and label to the beginning of the profile.",
	Source:  "the EPP's scheduler",
	check: func(p *pass) {
		if len(items(p.written("schedulingProfiles"))) == 0 {
			return
		}
		for _, profile := range p.SchedulingProfiles {
			sticky := ""
			for _, e := range profile.with("filter") {
				switch {
				case e.plugin.Type == affinityFilter:
					sticky = e.PluginRef
				case sticky != "" && slices.Contains(labelFilters, e.plugin.Type):
					p.report(e.path, "%s runs after %s, which may leave only endpoints that it removes", e.PluginRef, sticky)
				}
			}
		}
	},
}
