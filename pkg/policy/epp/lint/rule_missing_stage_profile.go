// SPDX-License-Identifier: Apache-2.0

package lint

var missingStageProfile = Rule{
	ID: "missing-stage-profile", Severity: Error,
	Summary: "a profile handler of several stages without its decode profile",
	Why:     "The EPP starts, but every request fails: the handler runs a profile that does not exist.",
	Fix:     "Add the profile, or name the correct profile in the handler's parameters.",
	Source:  "llm-d-router's profile handlers",
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
