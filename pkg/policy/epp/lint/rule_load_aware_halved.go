// SPDX-License-Identifier: Apache-2.0

package lint

var loadAwareHalved = Rule{
	ID: "load-aware-halved", Severity: Info,
	Summary: "load-aware-scorer together with other scorers",
	Why:     "Its score is at most 0.5, while other scorers reach 1: it has half of its weight.",
	Fix:     "Set twice the weight that you intend.",
	Source:  "llm-d-router's load-aware-scorer",
	check: func(p *pass) {
		for _, profile := range p.SchedulingProfiles {
			scorers := profile.with("scorer")
			for _, e := range scorers {
				if e.plugin.Type == "load-aware-scorer" && len(scorers) > 1 {
					p.report(e.path, "%s scores at most 0.5: a weight of %v counts as %v", e.plugin.Name, e.weight(), e.weight()/2)
				}
			}
		}
	},
}
