// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"strings"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/query"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

var averageOfAverage = Rule{
	ID: "average-of-average", Severity: lint.Warning, Kind: manifest.ScaledObject,
	Summary: "a target of type AverageValue for a metric that is an average over the replicas",
	Why:     "The autoscaler divides the average by the replicas once more: it asks for the average divided by the target, however many replicas there are. Many busy replicas scale down.",
	Fix:     "Use type Value, or a query of the sum. The type of a trigger of KEDA is AverageValue where metricType is not set.",
	check: func(p *pass) {
		for _, m := range p.Metrics() {
			q := p.query(&m)
			average := isName(q) && averagesOfPool(q) || strings.HasPrefix(q, "avg(")
			if average && m.Target.Source != hpa.Pods && m.Target.Target.Type == hpa.AverageValue {
				p.report(m.Path, "%s is an average over the replicas, and its target is of type AverageValue", m.Name)
			}
		}
	},
}

// averagesOfPool reports whether a metric is an average over replicas that the EPP exports.
func averagesOfPool(name string) bool {
	return strings.HasPrefix(query.Lookup(name), "llm_d_epp_average_")
}
