// SPDX-License-Identifier: Apache-2.0

package lint

var nonCachedTokensZero = Rule{
	ID: "non-cached-tokens-zero", Severity: Warning,
	Summary: "a prefix-based-pd-decider with nonCachedTokens 0, which is the default",
	Why:     "0 disables the decider: no prompt goes to a prefill endpoint. It does not mean every prompt.",
	Fix:     "Set nonCachedTokens to the number of uncached tokens from which a transfer is worthwhile, or use always-disagg-pd-decider.",
	Source:  "llm-d-router #867, #871",
	check: func(p *pass) {
		if p.version == "scheduler-v0.6.0" {
			return
		}
		for _, d := range p.ofType("prefix-based-pd-decider") {
			if n, ok := d.number("nonCachedTokens"); ok && n == 0 {
				p.report(d.parameter("nonCachedTokens"), "%s has nonCachedTokens 0: it never disaggregates, and decode endpoints compute all prompts", d.Name)
			}
		}
	},
}
