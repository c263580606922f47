// SPDX-License-Identifier: Apache-2.0

package lint

var randomPickerIgnoresScores = Rule{
	ID: "random-picker-ignores-scores", Severity: Warning,
	Summary: "random-picker in a profile with scorers",
	Why:     "It chooses evenly among what the filters left: scores are computed and ignored.",
	Fix:     "Use max-score-picker, or weighted-random-picker for a choice in proportion to the scores.",
	Source:  "the EPP's pickers",
	check: func(p *pass) {
		for _, profile := range p.SchedulingProfiles {
			for _, e := range profile.with("picker") {
				if n := len(profile.with("scorer")); e.plugin.Type == "random-picker" && n > 0 && e.path != profile.path {
					p.report(e.path, "profile %s chooses at random: the scores of %d scorers are ignored", profile.Name, n)
				}
			}
		}
	},
}
