// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"strings"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/query"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

var severalSeries = Rule{
	ID: "several-series", Severity: lint.Warning, Kind: manifest.ScaledObject,
	Summary: "a query of a trigger whose result has one series for each replica, stage or bucket, or in a scenario for each priority",
	Why:     "A trigger of KEDA needs one value. It fails while the query has several series: with one for each replica, it works with one replica and fails from the second on.",
	Fix:     "Write sum(…) around the query. For stages, use max(…) or one stage.",
	check: func(p *pass) {
		if p.Kind != manifest.ScaledObject || p.Max < 2 {
			return
		}
		for _, m := range p.Metrics() {
			if each := p.shape(&m).Each; m.IsQuery && len(each) > 0 {
				p.report(p.named(&m), "the query has one series for each %s, and KEDA takes one value", dimensions(each))
			}
		}
	},
}

// dimensions lists in words what series differ by.
func dimensions(each []query.Dimension) string {
	words := map[query.Dimension]string{
		query.ByReplica: "replica", query.ByStage: "stage of the saturation", query.ByBucket: "bucket of the histogram", query.ByPriority: "priority",
	}
	var all []string
	for _, d := range each {
		all = append(all, words[d])
	}
	return strings.Join(all, " and ")
}

// shape is what the query of a metric says of its result. Without a scenario, the name of an adapter's metric is that of the
// exporter, with or without its prefix.
func (p *pass) shape(m *manifest.Metric) query.Shape {
	text := p.query(m)
	if p.isAdapted(m) {
		text = query.Unadapted(text)
	}
	return query.ShapeOf(text, p.EPP)
}

// subject is what a finding calls a metric: a trigger by its query.
func subject(m *manifest.Metric) string {
	if m.IsQuery {
		return "the query"
	}
	return fmt.Sprintf("the metric %s", m.Name)
}
