// SPDX-License-Identifier: Apache-2.0

package query

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/VictoriaMetrics/metricsql"
)

// placeholder is a value that envsubst renders, in manifests such as those of llm-d's guides.
var placeholder = regexp.MustCompile(`^\$\{[A-Z][A-Z0-9_]*\}$`)

// selected returns the series that a selector finds, and the labels that it asks for; ok is
// false after a fault.
func (c *compiler) selected(e *metricsql.MetricExpr) (found []series, asked labels, ok bool) {
	if len(e.LabelFilterss) != 1 {
		c.fault(-1, "a selector needs the name of a metric")
		return nil, asked, false
	}
	filters := e.LabelFilterss[0]
	if len(filters) == 0 || filters[0].Label != "__name__" || filters[0].IsNegative || filters[0].IsRegexp {
		c.fault(-1, "a selector needs the name of a metric")
		return nil, asked, false
	}
	as := filters[0].Value
	m := metricOf(as)
	if m == nil {
		c.unknown(as)
		return nil, asked, false
	}
	if as == DesiredReplicas && c.targets.Variant == "" {
		c.fault(c.find(as), fmt.Sprintf("there is no metric %s: state workloadVariantAutoscaler of the scaler, the ConfigMap of the autoscaler that exports the metric", as))
		return nil, asked, false
	}
	fault, without := c.targets.exported(m, as)
	if fault != "" {
		c.fault(c.find(as), fault)
		return nil, asked, false
	}
	c.reads[as] = true
	if without == "" {
		found = c.targets.series(m, as, c.in)
	}
	for i := range filters[1:] {
		f := &filters[i+1]
		l, known := labelOf(f.Label)
		if !known || !m.has(l) || l == metricName {
			c.matchNothing(m, as, f)
			continue
		}
		if !f.IsRegexp && !f.IsNegative {
			if placeholder.MatchString(f.Value) {
				c.note("%s is a placeholder, which stands for any %s: render the manifest, as with envsubst", f.Value, f.Label)
				continue
			}
			asked[l] = f.Value
			if named := m.standsFor(l); named != "" && len(found) > 0 {
				if f.Value != found[0].labels[l] {
					c.note("%s %s stands for pool %s", named, f.Value, found[0].labels[l])
				}
				continue
			}
		}
		found = c.match(found, l, f)
	}
	found = c.required(found, m, as)
	return found, asked, len(c.faults) == 0
}

// unknown finds fault with a name of a metric.
func (c *compiler) unknown(as string) {
	text := fmt.Sprintf("there is no metric %s", as)
	if from := exporterOf(as); from != "" {
		text = fmt.Sprintf("%s of %s is not simulated", as, from)
	} else if right := released(as); right != "" {
		text = fmt.Sprintf("no release of the EPP exports %s; use %s", as, right)
	} else if near := similarNames(as); near != "" {
		text += "; similar: " + near
	}
	c.fault(c.find(as), text)
}

// matchNothing notes a matcher of a label that the metric does not have.
func (c *compiler) matchNothing(m *Metric, as string, f *metricsql.LabelFilter) {
	switch {
	case slices.Contains(m.merged, f.Label):
		c.fault(c.find(f.Label), fmt.Sprintf("the series of %s by %s are one here, their sum: take the matcher out", as, f.Label))
	case f.IsNegative || f.IsRegexp:
		c.fault(c.find(f.Label), fmt.Sprintf("%s has no label %s: only %s=\"…\" is accepted, and has no effect", as, f.Label, f.Label))
	case f.Value != "":
		c.note("%s=%q has no effect: %s has no such label here", f.Label, f.Value, as)
	}
}

// match keeps the series of which a label matches.
func (c *compiler) match(all []series, l label, f *metricsql.LabelFilter) []series {
	matches := func(value string) bool { return value == f.Value }
	if f.IsRegexp {
		pattern, err := regexp.Compile("^(?s:" + f.Value + ")$")
		if err != nil {
			c.fault(c.find(f.Label), fmt.Sprintf("%q is no regular expression", f.Value))
			return all
		}
		matches = pattern.MatchString
	}
	var kept []series
	var values []string
	for _, s := range all {
		value := s.labels[l]
		if !slices.Contains(values, value) {
			values = append(values, value)
		}
		if matches(value) != f.IsNegative {
			kept = append(kept, s)
		}
	}
	if len(kept) == 0 && len(all) > 0 {
		if slices.Equal(values, []string{""}) {
			c.fault(c.find(f.Label), fmt.Sprintf("no series has the label %s here: take the matcher out", f.Label))
			return kept
		}
		c.fault(c.find(f.Label), fmt.Sprintf("no target matches %s; %s is one of: %s", f.AppendString(nil), f.Label, strings.Join(values, ", ")))
	}
	return kept
}
