// SPDX-License-Identifier: Apache-2.0

package lint

var missingStageProfile = Rule{
	ID: "missing-stage-profile", Severity: Error,
	Summary: "a profile handler of several stages whose decode profile is not there",
	Why:     "The EPP starts, and then fails every request: the handler asks for a profile that does not exist.",
	Fix:     "Write the profile, or name the one that is meant in the handler's parameters.",
	Source:  "llm-d-router's profile handlers",
	Bad: `
plugins:
- type: disagg-profile-handler
  parameters:
    profiles: {decode: generate, prefill: default}
    deciders: {prefill: always-disagg-pd-decider}
- type: always-disagg-pd-decider
- type: decode-filter
- type: queue-scorer
- type: prefix-cache-scorer
schedulingProfiles:
- name: default
  plugins:
  - pluginRef: decode-filter
  - pluginRef: queue-scorer
  - pluginRef: prefix-cache-scorer
`,
	Good: disaggregated("- type: always-disagg-pd-decider", "always-disagg-pd-decider"),
	check: func(p *pass) {
		decode := p.stage("decode")
		if decode == "" || p.profile(decode) != nil {
			return
		}
		for _, h := range p.ofType(disaggHandler, pdHandler) {
			p.report(h.path, "no scheduling profile is named %s: every request fails", decode)
		}
	},
}
