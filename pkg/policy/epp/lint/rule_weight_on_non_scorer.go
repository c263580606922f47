// SPDX-License-Identifier: Apache-2.0

package lint

import "strings"

var weightOnNonScorer = Rule{
	ID: "weight-on-non-scorer", Severity: Warning,
	Summary: "a weight on something that is not a scorer",
	Why:     "Only scorers have a weight. The EPP reads this one and does nothing with it.",
	Fix:     "Drop the weight.",
	Source:  "the EPP's loader",
	check: func(p *pass) {
		p.eachEntry(func(e writtenEntry) {
			if e.plugin != nil && e.weighted && !e.plugin.is("scorer") {
				p.report(e.path.Child("weight"), "no effect: %s is no scorer but a %s", e.plugin.Name, strings.Join(e.plugin.roles(), ", "))
			}
		})
	},
}
