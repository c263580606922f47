// SPDX-License-Identifier: Apache-2.0

package lint

var noEffectInProfile = Rule{
	ID: "no-effect-in-profile", Severity: Info,
	Summary: "a plugin in a profile that is not a filter, scorer or picker",
	Why:     "Profiles run only filters, scorers and pickers. Other plugins work without a profile; a reference to them in a profile has no effect.",
	Fix:     "Delete the reference. Keep the plugin in the list.",
	Source:  "the EPP's loader; some guides do this",
	check: func(p *pass) {
		p.eachEntry(func(e writtenEntry) {
			if e.plugin != nil && !e.plugin.is("filter") && !e.plugin.is("scorer") && !e.plugin.is("picker") {
				p.report(e.path, "%s has no effect in a profile: it is not a filter, scorer or picker", e.plugin.Name)
			}
		})
	},
}
