// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"
	"strconv"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/query"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

var targetBelowOne = Rule{
	ID: "target-below-one", Severity: lint.Warning, Kind: manifest.HorizontalPodAutoscaler,
	Summary: "a target of less than one request for each replica",
	Why:     "One request on one replica that is otherwise idle asks for more replicas.",
	Fix:     "Set a target that a busy replica has: some waiting requests, or a good part of max-num-seqs for running ones.",
	check: func(p *pass) {
		for _, m := range p.Metrics() {
			q := p.query(&m)
			counts := slices.Contains([]string{"vllm:num_requests_waiting", "vllm:num_requests_running"}, q) || isGatewayQueue(q)
			if counts && m.Target.Target.Type == hpa.AverageValue && m.Target.Target.Value < 1000 {
				p.report(m.Path, "the target of %s is %s, which one request on an idle replica exceeds", m.Name, decimal(m.Target.Target.Value))
			}
		}
	},
}

// isGatewayQueue reports whether a query is the metric of the requests that the EPP keeps
// back.
func isGatewayQueue(name string) bool {
	return query.Lookup(name) == "llm_d_epp_flow_control_queue_size"
}

// decimal writes thousandths.
func decimal(n int64) string { return strconv.FormatFloat(float64(n)/1000, 'f', -1, 64) }
