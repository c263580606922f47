// SPDX-License-Identifier: Apache-2.0

package lint

var noEffectInProfile = Rule{
	ID: "no-effect-in-profile", Severity: Info,
	Summary: "a plugin in a profile that is neither filter nor scorer nor picker",
	Why:     "Profiles run filters, scorers and pickers. Other plugins work wherever they are listed; in a profile they are passed over in silence.",
	Fix:     "Drop the reference; the plugin itself stays in the list.",
	Source:  "the EPP's loader; some guides do this",
	check: func(p *pass) {
		p.eachEntry(func(e writtenEntry) {
			if e.plugin != nil && !e.plugin.is("filter") && !e.plugin.is("scorer") && !e.plugin.is("picker") {
				p.report(e.path, "%s has no effect in a profile: it is neither filter nor scorer nor picker", e.plugin.Name)
			}
		})
	},
}
