// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"strings"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/query"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

var recommendedBelowMinimum = Rule{
	ID: "recommended-below-minimum", Severity: lint.Warning, Kind: manifest.HorizontalPodAutoscaler,
	Summary: "a minimum above 1 of an autoscaler that follows wva_desired_replicas",
	Why:     "The workload-variant-autoscaler does not know the minimum of an object without the annotation llm-d.ai/managed. At a lull it asks for fewer replicas, the autoscaler keeps the minimum, and the workload-variant-autoscaler waits for ever until there are as many as it asked for: it adds no replica again.",
	Fix:     "Set the minimum to 1. Keep kvSpareTrigger and queueSpareTrigger high enough for the replicas that you want at a lull.",
	check: func(p *pass) {
		if p.Min > 1 && !p.IsManaged() && len(p.recommended()) > 0 {
			p.report(p.minPath(), "the minimum is %d, and the workload-variant-autoscaler may ask for fewer", p.Min)
		}
	},
}

// recommended are the metrics that are the number of the workload-variant-autoscaler.
func (p *pass) recommended() []manifest.Metric {
	var all []manifest.Metric
	for _, m := range p.Metrics() {
		q, _, _ := strings.Cut(p.query(&m), "{")
		if strings.TrimSpace(q) == query.DesiredReplicas {
			all = append(all, m)
		}
	}
	return all
}
