// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/query"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

var metricWithoutSeries = Rule{
	ID: "metric-without-series", Severity: lint.Warning, Kind: manifest.ScaledObject,
	Summary: "a metric that the EPP does not export as it is configured, such as one of flow control without the feature gate flowControl",
	Why:     "The query has no series. A trigger of KEDA then counts as 0 unless ignoreNullValues is false, and a HorizontalPodAutoscaler has no value: neither scales up.",
	Fix:     "Turn the feature on in the EPP's configuration: featureGates: [flowControl], or the plugin inflight-load-producer. Or scale by a metric that is always there, such as llm_d_epp_request_running.",
	Context: Context{EPP: &query.EPP{Version: newest}, Simulated: true},
	check: func(p *pass) {
		if p.EPP == nil {
			return
		}
		for _, m := range p.Metrics() {
			var told []string
			for _, read := range p.shape(&m).Reads {
				if why := p.EPP.Lacks(read.Metric); why != "" && !slices.Contains(told, read.Metric) {
					told = append(told, read.Metric)
					p.report(p.named(&m), "%s has no series: %s", read.Metric, why)
				}
			}
		}
	},
}
