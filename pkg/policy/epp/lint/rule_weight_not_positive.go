// SPDX-License-Identifier: Apache-2.0

package lint

var weightNotPositive = Rule{
	ID: "weight-not-positive", Severity: Warning,
	Summary: "a scorer's weight of 0 or less",
	Why:     "It is legal. A scorer of weight 0 is computed and counts for nothing; a negative weight seeks what the scorer advises against.",
	Fix:     "Give it a positive weight, or drop the scorer.",
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
				p.report(e.path.Child("weight"), "%s has a negative weight: what it likes is avoided", e.plugin.Name)
			}
		})
	},
}
