// SPDX-License-Identifier: Apache-2.0

package lint

var filtersWithoutProfiles = Rule{
	ID: "filters-without-profiles", Severity: Warning,
	Summary: "two filters or more in a file without profiles",
	Why:     "Without profiles, the EPP creates one from all its filters, scorers and pickers, in the order of a Go map: the order of the filters may change with every start.",
	Fix:     "Add a profile.",
	Source:  "the EPP's loader, which iterates over a map",
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
			p.report(filters[1].path, "%s run in an undefined order, which may change with every start", list(names(filters)))
		}
	},
}
