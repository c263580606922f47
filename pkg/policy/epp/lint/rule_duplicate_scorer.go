// SPDX-License-Identifier: Apache-2.0

package lint

import "reflect"

var duplicateScorer = Rule{
	ID: "duplicate-scorer", Severity: Warning,
	Summary: "the same scorer twice in a profile",
	Why:     "Scores add up: two scorers of one type with the same parameters act as one scorer with the sum of their weights, at twice the cost.",
	Fix:     "Keep one scorer, with the weight that you intend.",
	Source:  "the EPP's weighted sum",
	check: func(p *pass) {
		for _, profile := range p.SchedulingProfiles {
			scorers := profile.with("scorer")
			for i, e := range scorers {
				for _, before := range scorers[:i] {
					if e.plugin.Type == before.plugin.Type && reflect.DeepEqual(e.plugin.Parameters, before.plugin.Parameters) {
						p.report(e.path, "%s gives the same scores as %s: their total weight is %v", e.PluginRef, before.PluginRef, float64(e.weight()+before.weight()))
						break
					}
				}
			}
		}
	},
}
