// SPDX-License-Identifier: Apache-2.0

package lint

var affinityGateOff = Rule{
	ID: "affinity-gate-off", Severity: Warning,
	Summary: "a prefix-cache-affinity-filter that always keeps requests on warm endpoints, or never",
	Why:     "maxTTFTPenaltyMs 0 allows any penalty, not none: requests stay on a warm endpoint for any length of its backlog. An affinityThreshold of 0 or less disables the filter.",
	Fix:     "Set maxTTFTPenaltyMs to the largest delay that you accept for a warm prefix, and affinityThreshold to a value between 0 and 1.",
	Source:  "llm-d-router's prefix-cache-affinity-filter",
	check: func(p *pass) {
		for _, f := range p.ofType(affinityFilter) {
			if n, ok := f.number("affinityThreshold"); ok && n <= 0 {
				p.report(f.parameter("affinityThreshold"), "%s is disabled: affinityThreshold is %v", f.Name, n)
				continue
			}
			if n, ok := f.number("maxTTFTPenaltyMs"); ok && n == 0 {
				p.report(f.parameter("maxTTFTPenaltyMs"), "%s keeps requests on warm endpoints for any backlog", f.Name)
			}
		}
	},
}
