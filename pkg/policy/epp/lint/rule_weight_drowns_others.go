// SPDX-License-Identifier: Apache-2.0

package lint

import "math"

var weightDrownsOthers = Rule{
	ID: "weight-drowns-others", Severity: Warning,
	Summary: "a scorer's weight so great that no other score of its profile counts",
	Why:     "Scores are summed as numbers of 53 bits. Beside a weight 9e15 times as great, another score is lost in rounding, also where the greater scores are equal but for it.",
	Fix:     "Set a weight of the size that the others have, or delete the other scorers.",
	Source:  "the EPP's weighted sum, which is not normalised",
	check: func(p *pass) {
		least := map[string]float64{}
		each := func(visit func(e writtenEntry, weight float64)) {
			p.eachEntry(func(e writtenEntry) {
				if e.plugin == nil || !e.plugin.is("scorer") || e.weighted && e.weight == 0 {
					return
				}
				weight := 1.0
				if e.weighted {
					weight = math.Abs(e.weight)
				}
				visit(e, weight)
			})
		}
		each(func(e writtenEntry, weight float64) {
			if known, ok := least[e.profile]; !ok || weight < known {
				least[e.profile] = weight
			}
		})
		each(func(e writtenEntry, weight float64) {
			if ratio := weight / least[e.profile]; ratio >= 1<<53 {
				p.report(e.path.Child("weight"), "%s has the weight %.3g, and another scorer %.3g: the scores of that one are lost in rounding", e.plugin.Name, weight, least[e.profile])
			}
		})
	},
}
