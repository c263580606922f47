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
	Summary: "a target of type AverageValue for a metric that is an average over the replicas, their maximum, a share or a latency; or an average that the query divides by the replicas",
	Why:     "Such a value does not grow with the replicas, and the autoscaler divides it by them once more: it asks for the value divided by the target, however many replicas there are. Many busy replicas scale down.",
	Fix:     "Use type Value, or a query of the sum. The type of a trigger of KEDA is AverageValue where metricType is not set.",
	check: func(p *pass) {
		for _, m := range p.Metrics() {
			s, t := p.shape(&m), m.Target
			if t.Source == hpa.External || t.Source == hpa.Object {
				s = p.combined(s)
			}
			switch {
			case !s.Sized || len(s.Each) > 0 || t.Source == hpa.Pods:
			case s.Growth < 0:
				p.report(p.named(&m), "%s divides an average by the replicas", subject(&m))
			case s.Growth == 0 && t.Target.Type == hpa.AverageValue:
				p.report(m.Path, "%s does not grow with the replicas, and its target is of type AverageValue", subject(&m))
			}
		}
	},
}

// combined is the shape of what the autoscaler makes of all series: a HorizontalPodAutoscaler sums them.
func (p *pass) combined(s query.Shape) query.Shape {
	if p.Kind == manifest.HorizontalPodAutoscaler {
		return s.Summed()
	}
	return s
}

// averagesOfPool reports whether a metric is an average over replicas that the EPP exports.
func averagesOfPool(name string) bool {
	return strings.HasPrefix(query.Lookup(name), "llm_d_epp_average_")
}
