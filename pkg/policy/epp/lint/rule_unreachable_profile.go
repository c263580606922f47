// SPDX-License-Identifier: Apache-2.0

package lint

import "slices"

var unreachableProfile = Rule{
	ID: "unreachable-profile", Severity: Warning,
	Summary: "a profile that the profile handler never runs",
	Why:     "A handler with several stages runs only the profiles that it names.",
	Fix:     "Name the profile in the handler's parameters, or delete it.",
	Source:  "llm-d-router's profile handlers",
	check: func(p *pass) {
		if len(p.ofType(disaggHandler, pdHandler)) != 1 {
			return
		}
		run := []string{p.stage("decode"), p.stage("prefill"), p.stage("encode")}
		for _, profile := range p.SchedulingProfiles {
			if !slices.Contains(run, profile.Name) {
				p.report(profile.path, "profile %s never runs: %s runs %s", profile.Name, p.ofType(disaggHandler, pdHandler)[0].Name, list(slices.DeleteFunc(run, isEmpty)))
			}
		}
	},
}

func isEmpty(s string) bool { return s == "" }
