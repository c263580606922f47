// SPDX-License-Identifier: Apache-2.0

package lint

var nothingScored = Rule{
	ID: "nothing-scored", Severity: Info,
	Summary: "a profile without scorers",
	Why:     "All endpoints that the filters leave have score 0, and one of them is taken at random.",
	Fix:     "Add scorers, or name random-picker so that the file says what it does.",
	Source:  "the EPP's scheduler",
	check: func(p *pass) {
		for _, profile := range p.SchedulingProfiles {
			if len(profile.with("scorer")) > 0 {
				continue
			}
			for _, e := range profile.with("picker") {
				if e.plugin.Type != "random-picker" {
					p.report(profile.path, "profile %s scores nothing: the choice is random", profile.Name)
				}
			}
		}
	},
}
