// SPDX-License-Identifier: Apache-2.0

package lint

var nothingScored = Rule{
	ID: "nothing-scored", Severity: Info,
	Summary: "a profile without scorers",
	Why:     "All endpoints that pass the filters have score 0, and the EPP picks one of them at random.",
	Fix:     "Add scorers, or use random-picker to make the random choice explicit.",
	Source:  "the EPP's scheduler",
	check: func(p *pass) {
		for _, profile := range p.SchedulingProfiles {
			if len(profile.with("scorer")) > 0 {
				continue
			}
			for _, e := range profile.with("picker") {
				if e.plugin.Type != "random-picker" {
					p.report(profile.path, "profile %s has no scorers: the choice is random", profile.Name)
				}
			}
		}
	},
}
