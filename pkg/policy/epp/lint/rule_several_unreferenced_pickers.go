// SPDX-License-Identifier: Apache-2.0

package lint

var severalUnreferencedPickers = Rule{
	ID: "several-unreferenced-pickers", Severity: Warning,
	Summary: "several pickers that no profile names, and a profile without a picker",
	Why:     "A profile without a picker gets a listed one. With several listed pickers the choice is undefined, and may change with every start of the EPP.",
	Fix:     "Name the picker in each profile.",
	Source:  "the EPP's loader, which iterates over a map",
	check: func(p *pass) {
		pickers := p.writtenPickers()
		if len(pickers) < 2 {
			return
		}
		for _, profile := range p.withoutPicker() {
			for _, picker := range pickers {
				p.suppress(picker.path)
			}
			p.report(profile.path, "profile %s names no picker, and gets one of %s; which one is undefined", profile.Name, list(names(pickers)))
		}
	},
}

// writtenPickers are those of the document.
func (p *pass) writtenPickers() []*plugin {
	var found []*plugin
	for _, plugin := range p.Plugins {
		if plugin.path != nil && plugin.is("picker") {
			found = append(found, plugin)
		}
	}
	return found
}

// withoutPicker are the profiles of the document that name no picker.
func (p *pass) withoutPicker() []*profile {
	named := map[string]bool{}
	p.eachEntry(func(e writtenEntry) {
		if e.plugin != nil && e.plugin.is("picker") {
			named[e.profile] = true
		}
	})
	var found []*profile
	for _, profile := range p.SchedulingProfiles {
		if profile.path != nil && !named[profile.Name] {
			found = append(found, profile)
		}
	}
	return found
}

func names(plugins []*plugin) []string {
	var all []string
	for _, p := range plugins {
		all = append(all, p.Name)
	}
	return all
}
