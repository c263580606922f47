// SPDX-License-Identifier: Apache-2.0

package lint

var nonCachedTokensZero = Rule{
	ID: "non-cached-tokens-zero", Severity: Warning,
	Summary: "a prefix-based-pd-decider with nonCachedTokens 0, which is the default",
	Why:     "0 does not mean that every prompt is handed to a prefill endpoint. It means never: the decider is disabled.",
	Fix:     "Set nonCachedTokens to the number of uncached tokens that are worth a transfer, or use always-disagg-pd-decider.",
	Source:  "llm-d-router #867, #871",
	Bad:     disaggregated("- type: prefix-based-pd-decider", "prefix-based-pd-decider"),
	Good:    disaggregated("- type: prefix-based-pd-decider\n  parameters: {nonCachedTokens: 512}", "prefix-based-pd-decider"),
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

// disaggregated is an example with two stages and a decider, as it is listed and
// named.
func disaggregated(listed, named string) string {
	return `
plugins:
- type: disagg-profile-handler
  parameters:
    deciders: {prefill: ` + named + `}
` + listed + `
- type: prefill-filter
- type: decode-filter
- type: queue-scorer
- type: prefix-cache-scorer
schedulingProfiles:
- name: prefill
  plugins:
  - pluginRef: prefill-filter
  - pluginRef: queue-scorer
  - pluginRef: prefix-cache-scorer
- name: decode
  plugins:
  - pluginRef: decode-filter
  - pluginRef: queue-scorer
  - pluginRef: prefix-cache-scorer
`
}
