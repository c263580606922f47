// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"strings"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

var valueForSum = Rule{
	ID: "value-for-sum", Severity: lint.Warning, Kind: manifest.HorizontalPodAutoscaler,
	Summary: "a target of type Value for a metric that each replica adds to",
	Why:     "The autoscaler multiplies the sum by the ready replicas, so that each replica more asks for more replicas, up to the maximum.",
	Fix:     "Use type AverageValue, with the target of one replica.",
	check: func(p *pass) {
		for _, m := range p.Metrics() {
			q := p.query(&m)
			if m.Target.Target.Type == hpa.Value && (isName(q) && strings.HasPrefix(q, "vllm:") || isGatewayQueue(q)) {
				p.report(m.Path, "%s is a sum over the replicas, and its target is of type Value", m.Name)
			}
		}
	},
}

// isName reports whether a query is a name alone.
func isName(query string) bool { return !strings.ContainsAny(query, "({[ ") }
