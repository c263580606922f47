// SPDX-License-Identifier: Apache-2.0

package lint

var nonCachedTokensZero = Rule{
	ID: "non-cached-tokens-zero", Severity: Warning,
	Summary: "a prefix-based-pd-decider with nonCachedTokens 0, which is the default",
	Why:     "0 does not mean that every prompt is handed to a prefill endpoint. It means never: the decider is disabled.",
	Fix:     "Set nonCachedTokens to the number of uncached tokens that are worth a transfer, or use always-disagg-pd-decider.",
	Source:  "llm-d-router #867, #871",
	check: func(p *pass) {
		if p.version == "scheduler-v0.6.0" {
			return
		}
		for _, d := range p.ofType("prefix-based-pd-decider") {
			if n, ok := d.number("nonCachedTokens"); ok && n == 0 {
				p.report(d.parameter("nonCachedTokens"), "%s has nonCachedTokens 0: it never says yes, and all prompts are computed where they are decoded", d.Name)
			}
		}
	},
}
