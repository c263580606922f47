// SPDX-License-Identifier: Apache-2.0

package lint

var maxEndpoints = Rule{
	ID: "max-endpoints", Severity: Info,
	Summary: "a picker's maxNumOfEndpoints of more than 1",
	Why:     "The request still goes to the first endpoint. The others are fallbacks for a gateway that retries, and the EPP counts the request for the first one alone.",
	Fix:     "Leave it at 1 unless the gateway retries.",
	Source:  "the EPP's pickers",
	check: func(p *pass) {
		for _, picker := range p.Plugins {
			if n, _ := picker.number("maxNumOfEndpoints"); picker.is("picker") && n > 1 {
				p.report(picker.parameter("maxNumOfEndpoints"), "%s names %v endpoints; the request goes to the first, the others are fallbacks", picker.Name, n)
			}
		}
	},
}
