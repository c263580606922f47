// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"cmp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/query"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

var notSimulated = Rule{
	ID: "not-simulated", Severity: lint.Info, Kind: manifest.ScaledObject,
	Summary: "a part of a valid autoscaler that Windtunnel does not simulate",
	Why:     "A cluster takes the manifest. A scenario that has it is refused.",
	Fix:     "Nothing, unless a scenario is to have the manifest: then take the part away, or state what stands for it.",
	check: func(p *pass) {
		for _, e := range p.NotSimulated {
			p.report(field.NewPath(e.Field), "%s", cmp.Or(e.Detail, e.ErrorBody()))
		}
		for i := range p.Metrics() {
			m := &p.Metrics()[i]
			for _, text := range p.inspect(m).NotSimulated {
				p.report(p.named(m), "%s", text)
			}
			if p.isAdapted(m) {
				p.report(p.named(m), "no metric of a simulation has the name %s: state the query of the adapter in metrics.queries of the scaler", m.Name)
			}
		}
	},
}

// inspect looks at the query of a metric. It finds nothing in a scenario, which has compiled all queries, and in
// names that an adapter may give.
func (p *pass) inspect(m *manifest.Metric) query.Inspection {
	switch {
	case p.Simulated || p.Kind == manifest.ConfigMap || p.isAdapted(m):
		return query.Inspection{}
	case m.IsQuery:
		return query.Inspect(m.Name)
	case p.Kind == manifest.HorizontalPodAutoscaler:
		return query.InspectName(m.Name)
	default:
		return query.Inspection{} // a trigger by the time
	}
}

// isAdapted reports whether a metric of a HorizontalPodAutoscaler has a name that no exporter gives: an adapter
// has the query of it.
func (p *pass) isAdapted(m *manifest.Metric) bool {
	return !p.Simulated && p.Kind == manifest.HorizontalPodAutoscaler && query.Lookup(m.Name) == "" && !query.HasExporter(m.Name)
}

// named is where the query or the name of a metric stands.
func (p *pass) named(m *manifest.Metric) *field.Path {
	target := m.Path.String()
	if m.IsQuery {
		return field.NewPath(strings.TrimSuffix(target, "threshold") + "query")
	}
	return field.NewPath(strings.TrimSuffix(target, "target") + "metric.name")
}
