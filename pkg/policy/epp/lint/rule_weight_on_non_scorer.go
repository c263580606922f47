// SPDX-License-Identifier: Apache-2.0

package lint

import "strings"

var weightOnNonScorer = Rule{
	ID: "weight-on-non-scorer", Severity: Warning,
	Summary: "a weight on something that is not a scorer",
	Why:     "Only scorers have a weight. The EPP ignores this one.",
	Fix:     "Delete the weight.",
	Source:  "the EPP's loader",
	check: func(p *pass) {
		p.eachEntry(func(e writtenEntry) {
			if e.plugin != nil && e.weighted && !e.plugin.is("scorer") {
				p.report(e.path.Child("weight"), "no effect: %s is not a scorer but a %s", e.plugin.Name, strings.Join(e.plugin.roles(), ", "))
			}
		})
	},
}
