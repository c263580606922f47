// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"strconv"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

var targetOutsideRange = Rule{
	ID: "target-outside-range", Severity: lint.Warning, Kind: manifest.HorizontalPodAutoscaler,
	Summary: "a target that no value of the metric exceeds by the tolerance, such as 40 for a share from 0 to 1, or a target of at most 1 for a metric in per cent",
	Why:     "A share of 1 is full. With a target above it, the autoscaler never adds a replica, whatever the load. With a share as the target of a metric in per cent, it adds replicas at nearly every load, up to the maximum.",
	Fix:     "State the target in the unit of the metric: 0.8 for a share, 80 for per cent.",
	check: func(p *pass) {
		for _, m := range p.Metrics() {
			target := float64(m.Target.Target.Value) / 1000
			most, of := p.mostOf(&m)
			switch {
			case most == 0 || target == 0:
			case most <= target*(1+p.upTolerance()):
				p.report(m.Path, "the target is %s, and the largest value of %s is %s%s: the autoscaler never adds a replica", decimal(m.Target.Target.Value), subject(&m), plain(most), of)
			case most >= 100 && target <= 1:
				p.report(m.Path, "the target is %s, and %s is in per cent, from 0 to %s", decimal(m.Target.Target.Value), subject(&m), plain(most))
			}
		}
	},
}

// mostOf is the largest value that is compared with the target of a metric, and what it is of; 0 where it is not known.
func (p *pass) mostOf(m *manifest.Metric) (most float64, of string) {
	s, t := p.shape(m), m.Target
	if t.Source == hpa.External || t.Source == hpa.Object {
		s = p.combined(s)
	}
	switch {
	case t.Target.Type != hpa.AverageValue && t.Target.Type != hpa.Value:
		return 0, ""
	case s.Growth == 0:
		return s.Most, ""
	case s.Growth == 1 && t.Target.Type == hpa.Value:
		return s.Most * float64(p.Max), ""
	case s.Growth == 1:
		return s.Most, " for each replica"
	default:
		return 0, ""
	}
}

// upTolerance is by how much a value must exceed its target for a scale-up.
func (p *pass) upTolerance() float64 {
	spec := hpa.Defaults(p.Autoscaler())
	if spec.Behavior != nil && spec.Behavior.ScaleUp.Tolerance != nil {
		return float64(*spec.Behavior.ScaleUp.Tolerance) / 1000
	}
	return hpa.DefaultOptions().Tolerance
}

func plain(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
