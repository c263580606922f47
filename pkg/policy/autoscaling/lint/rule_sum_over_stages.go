// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

var sumOverStages = Rule{
	ID: "sum-over-stages", Severity: lint.Warning, Kind: manifest.ScaledObject,
	Summary: "a sum over the stages of llm_d_epp_flow_control_pool_saturation",
	Why:     "From router-main on the metric has a series for each stage, prefill, decode and effective, which is the higher one. The sum counts the load of the pool two or three times.",
	Fix:     "Use max(…), or the matcher stage=\"effective\".",
	check: func(p *pass) {
		for _, m := range p.Metrics() {
			s := p.shape(&m)
			if m.Target.Source == hpa.External || m.Target.Source == hpa.Object {
				s = p.combined(s)
			}
			if s.SumsStages {
				p.report(p.named(&m), "%s adds up the stages of the saturation", subject(&m))
			}
		}
	},
}
