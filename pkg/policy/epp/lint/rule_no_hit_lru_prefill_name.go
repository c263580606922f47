// SPDX-License-Identifier: Apache-2.0

package lint

var noHitLRUPrefillName = Rule{
	ID: "no-hit-lru-prefill-name", Severity: Warning,
	Summary: "no-hit-lru-scorer with a prefill profile that is not named prefill",
	Why:     "The scorer records the endpoint that the profile with the exact name prefill picks for a cold request. With another name it records no prefill endpoints, and cold prompts go to the same endpoints.",
	Fix:     "Name the profile prefill.",
	Source:  "llm-d-router's no-hit-lru-scorer",
	check: func(p *pass) {
		prefill := p.stage("prefill")
		if prefill == "" || prefill == "prefill" || p.profile(prefill) == nil {
			return
		}
		for _, scorer := range p.ofType("no-hit-lru-scorer") {
			p.report(scorer.path, "%s records only endpoints of a profile named prefill; this profile is named %s", scorer.Name, prefill)
		}
	},
}

// stage is the name of the profile that a handler of several stages runs for one
// of them, "" where there is no such handler.
func (v *view) stage(name string) string {
	handlers := v.ofType(disaggHandler, pdHandler)
	if len(handlers) == 0 {
		return ""
	}
	if profile := handlers[0].object("profiles").stringValue(name); profile != "" {
		return profile
	}
	return handlers[0].stringValue(name + "Profile")
}
