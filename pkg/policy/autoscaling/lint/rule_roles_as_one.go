// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

var rolesAsOne = Rule{
	ID: "roles-as-one", Severity: lint.Warning, Kind: manifest.ScaledObject,
	Summary: "an autoscaler of prefill or of decode whose query reads both roles as one",
	Why:     "Prefill is short of compute and decode of KV cache, at different times. A sum, an average or a saturation of both roles scales one by what the other lacks, and the ratio of the two drifts. A scenario gives a query of the engines those of the scaler's own pool; a cluster gives it all.",
	Fix:     "Select the role in the query: pod=~\".*decode.*\" for engines, endpoint_name=~\".*prefill.*\" for llm_d_epp_inflight_tokens, stage=\"prefill\" for the saturation from router-main on. Scale prefill by its backlog of prompt tokens and decode by its KV usage.",
	Context: Context{Split: true, Simulated: true},
	check: func(p *pass) {
		if !p.Split {
			return
		}
		for _, m := range p.Metrics() {
			if m.Target.Source == hpa.Pods {
				continue // the controller reads the pods of the target alone
			}
			var told []string
			for _, read := range p.shape(&m).Reads {
				read.Labels = append(read.Labels, m.Selected...)
				if read.MixesRoles() && !slices.Contains(told, read.Metric) {
					told = append(told, read.Metric)
					p.report(p.named(&m), "%s is of prefill and decode together", read.Metric)
				}
			}
		}
	},
}
