// SPDX-License-Identifier: Apache-2.0

package lint

var maxEndpoints = Rule{
	ID: "max-endpoints", Severity: Info,
	Summary: "a picker's maxNumOfEndpoints of more than 1",
	Why:     "The request still goes to the first endpoint. The other endpoints are fallbacks for a gateway that retries. The EPP counts the request only for the first endpoint.",
	Fix:     "Keep 1 unless the gateway retries.",
	Source:  "the EPP's pickers",
	check: func(p *pass) {
		for _, picker := range p.Plugins {
			if n, _ := picker.number("maxNumOfEndpoints"); picker.is("picker") && n > 1 {
				p.report(picker.parameter("maxNumOfEndpoints"), "%s picks %v endpoints; the request goes to the first, and the others are fallbacks", picker.Name, n)
			}
		}
	},
}
