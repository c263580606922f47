// SPDX-License-Identifier: Apache-2.0

package lint

import "slices"

var stagesShareEndpoints = Rule{
	ID: "stages-share-endpoints", Severity: Warning,
	Summary: "a prefill or decode profile without a filter by role or label",
	Why:     "The profiles of a handler with several stages pick from all endpoints of the pool. Without a filter, prefill work goes to decode endpoints and decode work to prefill endpoints.",
	Fix:     "Add prefill-filter and decode-filter, or label-selector-filter, to the profiles.",
	Source:  "llm-d-router's profile handlers",
	check: func(p *pass) {
		prefill, decode := p.profile(p.stage("prefill")), p.profile(p.stage("decode"))
		if prefill == nil || decode == nil || prefill == decode {
			return
		}
		for _, profile := range []*profile{prefill, decode} {
			if !slices.ContainsFunc(profile.with("filter"), func(e *entry) bool { return slices.Contains(labelFilters, e.plugin.Type) }) {
				p.report(profile.path, "profile %s picks from all endpoints, of any role", profile.Name)
			}
		}
	},
}

// labelFilters keep endpoints by their labels.
var labelFilters = []string{
	"prefill-filter", "decode-filter", "encode-filter", "by-label", "by-label-selector", "label-selector-filter",
	"header-based-testing-filter", "endpoint-attribute-filter",
}
