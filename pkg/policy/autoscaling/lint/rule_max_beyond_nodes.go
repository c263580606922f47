// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

var maxBeyondNodes = Rule{
	ID: "max-beyond-nodes", Severity: lint.Warning, Kind: manifest.HorizontalPodAutoscaler,
	Summary: "a maximum of replicas that the nodes have no room for",
	Why:     "The replicas beyond that stay Pending. They count as idle ones for the autoscaler.",
	Fix:     "Lower the maximum, or raise the quota of nodes.",
	Context: Context{Places: 8},
	check: func(p *pass) {
		if p.Places > 0 && p.Max > p.Places {
			p.report(p.maxPath(), "the maximum is %d, and the nodes have room for %d replicas", p.Max, p.Places)
		}
	},
}
