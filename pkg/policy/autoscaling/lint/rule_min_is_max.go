// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

var minIsMax = Rule{
	ID: "min-is-max", Severity: lint.Warning, Kind: manifest.HorizontalPodAutoscaler,
	Summary: "a minimum that is the maximum",
	Why:     "The number of replicas never changes, and the metrics have no effect.",
	Fix:     "Make the bounds differ, or take the autoscaler away and set the replicas of the Deployment.",
	check: func(p *pass) {
		if p.Min == p.Max {
			p.report(p.minPath(), "the minimum and the maximum are both %d", p.Max)
		}
	},
}
