// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

var recommendedTimesTarget = Rule{
	ID: "recommended-times-target", Severity: lint.Warning, Kind: manifest.HorizontalPodAutoscaler,
	Summary: "a target of wva_desired_replicas other than an AverageValue of 1",
	Why:     "The metric is a number of replicas. With another target, the autoscaler sets another number, and the workload-variant-autoscaler waits for ever until there are as many as it asked for.",
	Fix:     "Use type AverageValue with 1. For a trigger of KEDA that is threshold \"1\", without metricType.",
	check: func(p *pass) {
		for _, m := range p.recommended() {
			if t := m.Target.Target; t.Type != hpa.AverageValue || t.Value != 1000 {
				p.report(m.Path, "the target of %s is %s %s", m.Name, t.Type, decimal(t.Value))
			}
		}
	},
}
