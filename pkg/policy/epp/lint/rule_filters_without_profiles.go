// SPDX-License-Identifier: Apache-2.0

package lint

var filtersWithoutProfiles = Rule{
	ID: "filters-without-profiles", Severity: Warning,
	Summary: "two filters or more in a file without profiles",
	Why:     "Without profiles the EPP makes one of all filters, scorers and pickers it has, in the order of a map: filters run in another order after every start.",
	Fix:     "Write the profile.",
	Source:  "the EPP's loader, which goes through a map",
	check: func(p *pass) {
		if len(items(p.written("schedulingProfiles"))) > 0 {
			return
		}
		var filters []*plugin
		for _, plugin := range p.Plugins {
			if plugin.path != nil && plugin.is("filter") {
				filters = append(filters, plugin)
			}
		}
		if len(filters) > 1 {
			p.report(filters[1].path, "%s run in any order, which may change with every start", list(names(filters)))
		}
	},
}
