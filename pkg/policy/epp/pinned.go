// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

// A pinnedAttribute is one number of each endpoint, of those that the user pins.
type pinnedAttribute struct {
	values []float64 // by endpoint
	known  []bool    // by endpoint; false where the number is missing
}

// An attributeName is how plugins name a number. A cluster states it under the
// name alone or, where that would be ambiguous, as name/producer.
type attributeName struct{ name, producer string }

func (n attributeName) Of(pinned map[string]float64) (value float64, ok bool) {
	if value, ok = pinned[n.name+"/"+n.producer]; ok {
		return value, true
	}
	value, ok = pinned[n.name]
	return value, ok
}

// pinnedOf finds an attribute of each endpoint.
func pinnedOf(b *scheduler.Builder, name attributeName) pinnedAttribute {
	a := pinnedAttribute{make([]float64, b.Endpoints), make([]bool, b.Endpoints)}
	for e, attributes := range b.Attributes {
		a.values[e], a.known[e] = name.Of(attributes)
	}
	return a
}

// spread is the range of the candidates that have the attribute.
func (a pinnedAttribute) spread(candidates []int) attributeRange {
	all := attributeRange{Min: math.Inf(1), Max: math.Inf(-1)}
	for _, e := range candidates {
		if a.known[e] {
			all.Min, all.Max = min(all.Min, a.values[e]), max(all.Max, a.values[e])
		}
	}
	return all
}

// isPinned reports whether some endpoint has the attribute.
func isPinned(c *config.Cluster, name attributeName) bool {
	if c == nil {
		return false
	}
	for _, attributes := range c.Attributes {
		if _, ok := name.Of(attributes); ok {
			return true
		}
	}
	return false
}

// treatPinned is the treatment of what reads an attribute that is not simulated.
func treatPinned(cluster *config.Cluster, name attributeName) (config.Treatment, string) {
	if isPinned(cluster, name) {
		return config.Approximated, fmt.Sprintf("%s is what is pinned, and never changes", name.name)
	}
	return config.Unsupported, fmt.Sprintf("it reads %q, which nothing here reports: pin it in the attributes of a pool", name.name)
}

// configuredAttribute is an attribute as parameters name it: of the core metrics
// extractor where no producer is set.
func configuredAttribute(name string, producer *string) attributeName {
	if producer == nil {
		return attributeName{name, config.CoreMetricsExtractorType}
	}
	return attributeName{name, *producer}
}

// checkAttribute refuses the old spelling, attribute and producer in one.
func checkAttribute(l *config.Loader, name string, producer *string, at *field.Path) {
	if i := strings.LastIndex(name, "/"); i >= 0 && producer == nil {
		l.Add(field.Invalid(at, name, fmt.Sprintf("must not contain a slash where no producer is set: did you mean attribute %q of producer %q?", name[:i], name[i+1:])))
	}
}

// A pinnedScorer scores what is pinned; 0 where nothing is.
type pinnedScorer struct{ pinnedAttribute }

func (s pinnedScorer) Score(_ *scheduler.Cycle, candidates []int, w scheduler.Weight, scores []float64) {
	for i, e := range candidates {
		scores[i] = w.Of(s.values[e])
	}
}

// A pinnedFilter keeps endpoints with a number other than 0.
type pinnedFilter struct{ pinnedAttribute }

func (f pinnedFilter) Filter(_ *scheduler.Cycle, candidates []int) []int {
	return slices.DeleteFunc(candidates, func(e int) bool { return f.values[e] == 0 })
}
