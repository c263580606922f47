// SPDX-License-Identifier: Apache-2.0

package lint

var randomPickerIgnoresScores = Rule{
	ID: "random-picker-ignores-scores", Severity: Warning,
	Summary: "random-picker in a profile with scorers",
	Why:     "It picks evenly among the endpoints that pass the filters. The EPP computes the scores and ignores them.",
	Fix:     "Use max-score-picker, or weighted-random-picker for a choice in proportion to the scores.",
	Source:  "the EPP's pickers",
	check: func(p *pass) {
		for _, profile := range p.SchedulingProfiles {
			for _, e := range profile.with("picker") {
				if n := len(profile.with("scorer")); e.plugin.Type == "random-picker" && n > 0 && e.path != profile.path {
					p.report(e.path, "profile %s picks at random: it ignores the scores of %d scorers", profile.Name, n)
				}
			}
		}
	},
}
