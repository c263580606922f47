// SPDX-License-Identifier: Apache-2.0

package query

import (
	"fmt"
	"slices"
	"strings"
)

// Requirement is what a label selector of Kubernetes asks of one label. A metrics adapter adds it
// to each selector of a query.
type Requirement struct {
	Label    string
	Operator Operator
	// Values are those of In and NotIn.
	Values []string
}

// Operator is how a label is compared.
type Operator string

// The operators.
const (
	In           Operator = "In"
	NotIn        Operator = "NotIn"
	Exists       Operator = "Exists"
	DoesNotExist Operator = "DoesNotExist"
)

// matches reports whether a series with a value of the label is asked for. A label that is not there
// has no value.
func (r *Requirement) matches(value string) bool {
	switch r.Operator {
	case In:
		return value != "" && slices.Contains(r.Values, value)
	case NotIn:
		return value == "" || !slices.Contains(r.Values, value)
	case Exists:
		return value != ""
	default:
		return value == ""
	}
}

// String returns the requirement as kubectl writes it.
func (r *Requirement) String() string {
	switch values := strings.Join(r.Values, ","); {
	case r.Operator == In && len(r.Values) == 1:
		return r.Label + "=" + values
	case r.Operator == In:
		return r.Label + " in (" + values + ")"
	case r.Operator == NotIn:
		return r.Label + " notin (" + values + ")"
	case r.Operator == Exists:
		return r.Label
	default:
		return "!" + r.Label
	}
}

// ofClusters are labels that a monitoring system of a cluster adds to all series.
var ofClusters = []string{"cluster", "container", "endpoint", "instance", "job", "namespace", "node", "prometheus", "service"}

// required keeps the series of a metric that the requirements ask for.
func (c *compiler) required(found []series, m *Metric, as string) []series {
	for i := range c.requirements {
		r := &c.requirements[i]
		l, known := labelOf(r.Label)
		switch {
		case known && l != metricName && m.has(l):
			found = c.meet(found, l, r)
		case slices.Contains(ofClusters, r.Label) && (r.Operator == In || r.Operator == Exists):
			c.note("the selector %s has no effect: %s has no such label here", r, as)
		default:
			c.unmet("%s has no label %s; it has %s", as, r.Label, strings.Join(m.Labels(), ", "))
		}
	}
	return found
}

// meet keeps the series that meet a requirement.
func (c *compiler) meet(all []series, l label, r *Requirement) []series {
	var kept []series
	var values []string
	for _, s := range all {
		value := s.labels[l]
		if !slices.Contains(values, value) {
			values = append(values, value)
		}
		if r.matches(value) {
			kept = append(kept, s)
		}
	}
	if len(kept) == 0 && len(all) > 0 {
		c.unmet("no target matches %s; %s is one of: %s", r, r.Label, strings.Join(values, ", "))
	}
	return kept
}

// unmet finds a fault with a requirement, once.
func (c *compiler) unmet(format string, arguments ...any) {
	f := Fault{Text: fmt.Sprintf(format, arguments...), InSelector: true}
	if !slices.Contains(c.faults, f) {
		c.faults = append(c.faults, f)
	}
}
