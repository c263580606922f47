// SPDX-License-Identifier: Apache-2.0

package lint

var weightNotPositive = Rule{
	ID: "weight-not-positive", Severity: Warning,
	Summary: "a scorer's weight of 0 or less",
	Why:     "The EPP accepts the weight. With 0, it computes the score and does not use it. With a negative weight, it prefers the endpoints with the lowest scores.",
	Fix:     "Set a positive weight, or delete the scorer.",
	Source:  "the EPP's weighted sum, which is not normalised",
	check: func(p *pass) {
		p.eachEntry(func(e writtenEntry) {
			if e.plugin == nil || !e.weighted || !e.plugin.is("scorer") {
				return
			}
			switch {
			case e.weight == 0:
				p.report(e.path.Child("weight"), "%s has weight 0: it counts for nothing", e.plugin.Name)
			case e.weight < 0:
				p.report(e.path.Child("weight"), "%s has a negative weight: the endpoints with its highest scores are avoided", e.plugin.Name)
			}
		})
	},
}
