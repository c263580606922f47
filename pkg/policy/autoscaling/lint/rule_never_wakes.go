// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"strings"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

var neverWakes = Rule{
	ID: "never-wakes", Severity: lint.Warning, Kind: manifest.ScaledObject,
	Summary: "scale to zero by metrics of the replicas alone",
	Why:     "Replicas that are not there export no metrics. No trigger becomes active again, and requests wait for ever.",
	Fix:     "Add a trigger on a metric of the gateway, such as inference_extension_flow_control_queue_size, or set minReplicaCount to 1.",
	check: func(p *pass) {
		if p.Min > 0 || p.KEDA() == nil || p.KEDA().Fallback != nil {
			return
		}
		for _, m := range p.Metrics() {
			if q := p.query(&m); !strings.Contains(q, "vllm:") && !averagesOfPool(q) {
				return
			}
		}
		p.report(p.minPath(), "no replica exports the metrics of the triggers once there is none")
	},
}
