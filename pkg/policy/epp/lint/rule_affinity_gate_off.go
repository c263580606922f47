// SPDX-License-Identifier: Apache-2.0

package lint

var affinityGateOff = Rule{
	ID: "affinity-gate-off", Severity: Warning,
	Summary: "a prefix-cache-affinity-filter that always or never sticks",
	Why:     "maxTTFTPenaltyMs 0 does not mean that no penalty is accepted but that any is: requests stick to a warm endpoint however long its backlog. An affinityThreshold of 0 or less disables the filter.",
	Fix:     "Set maxTTFTPenaltyMs to the delay that a warm prefix is worth, and affinityThreshold between 0 and 1.",
	Source:  "llm-d-router's prefix-cache-affinity-filter",
	check: func(p *pass) {
		for _, f := range p.ofType(affinityFilter) {
			if n, ok := f.number("affinityThreshold"); ok && n <= 0 {
				p.report(f.parameter("affinityThreshold"), "%s is disabled: affinityThreshold is %v", f.Name, n)
				continue
			}
			if n, ok := f.number("maxTTFTPenaltyMs"); ok && n == 0 {
				p.report(f.parameter("maxTTFTPenaltyMs"), "%s sticks to warm endpoints whatever their backlog", f.Name)
			}
		}
	},
}
