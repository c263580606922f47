// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

var unexportedMetric = Rule{
	ID: "unexported-metric", Severity: lint.Warning, Kind: manifest.ScaledObject,
	Summary: "a query that is not PromQL, or that reads a metric that no version of vLLM, of the EPP or of llm-d's autoscaler exports",
	Why:     "The query has no series. A trigger of KEDA then counts as 0 unless ignoreNullValues is false, and a HorizontalPodAutoscaler has no value: neither scales up.",
	Fix:     "Correct the name. docs/autoscaling-reference.md lists the metrics of simulations with their versions.",
	check: func(p *pass) {
		for i := range p.Metrics() {
			m := &p.Metrics()[i]
			x := p.inspect(m)
			if x.Unparsed != "" {
				p.report(p.named(m), "the query is not PromQL: %s", x.Unparsed)
			}
			for _, text := range x.Unexported {
				p.report(p.named(m), "%s", text)
			}
		}
	},
}
