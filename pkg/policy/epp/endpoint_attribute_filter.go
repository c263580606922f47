// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

const endpointAttributeFilterType = "endpoint-attribute-filter"

// endpointAttributeFilter keeps endpoints whose attribute compares with a
// threshold as the operator says, and with onMissing Pass those without it. Where
// none would be left, fallbackOnEmpty keeps all.
var endpointAttributeFilter = factory{
	pluginType: pluginType{
		name:         endpointAttributeFilterType,
		registration: gie("router-v0.10.."),
		roles:        filterRole,
		alpha:        true,
		parameters:   func() any { return &attributeFilterParameters{OnMissing: passMissing} },
		treatment: func(_ *Config, cluster *Cluster, p *plugin) (Treatment, string) {
			return treatPinned(cluster, p.Parameters.(*attributeFilterParameters).attribute())
		},
	},
	newFilter: func(b *builder, p *plugin) filter {
		parameters := p.Parameters.(*attributeFilterParameters)
		return newAttributeFilter(pinnedOf(b, parameters.attribute()), parameters)
	},
}

const (
	passMissing = "Pass"
	failMissing = "Fail"
)

var thresholdOperators = []string{"LessThan", "LessThanOrEqual", "GreaterThan", "GreaterThanOrEqual", "Equal", "NotEqual"}

type attributeFilterParameters struct {
	Attribute       string             `json:"attribute"`
	Producer        *string            `json:"producer,omitempty" versions:"router-main.."`
	OnMissing       string             `json:"onMissing"`
	FallbackOnEmpty bool               `json:"fallbackOnEmpty"`
	Algorithm       thresholdAlgorithm `json:"algorithm"`
}

type thresholdAlgorithm struct {
	Type      string     `json:"type"`
	Threshold *threshold `json:"threshold,omitempty"`
}

type threshold struct {
	Operator string  `json:"operator"`
	Value    float64 `json:"value"`
}

func (p *attributeFilterParameters) check(l *loader, path *field.Path) {
	if p.Attribute == "" {
		l.add(field.Required(path.Child("attribute"), "must name an attribute"))
		return
	}
	setDefault(&p.OnMissing, passMissing)
	if p.OnMissing != passMissing && p.OnMissing != failMissing {
		l.add(field.NotSupported(path.Child("onMissing"), p.OnMissing, []string{passMissing, failMissing}))
	}
	at := path.Child("algorithm")
	switch t := p.Algorithm.Threshold; {
	case p.Algorithm.Type != "threshold":
		l.add(field.NotSupported(at.Child("type"), p.Algorithm.Type, []string{"threshold"}))
	case t == nil:
		l.add(field.Required(at.Child("threshold"), "must be set"))
	default:
		checkOneOf(l, at.Child("threshold", "operator"), t.Operator, thresholdOperators)
	}
	checkAttribute(l, p.Attribute, p.Producer, path.Child("attribute"))
}

func (p *attributeFilterParameters) attribute() attributeName {
	return configuredAttribute(p.Attribute, p.Producer)
}

// An attributeFilter keeps endpoints by numbers that never change.
type attributeFilter struct {
	keeps           []bool // by endpoint
	fallbackOnEmpty bool
}

func newAttributeFilter(attribute pinnedAttribute, p *attributeFilterParameters) attributeFilter {
	f := attributeFilter{make([]bool, len(attribute.values)), p.FallbackOnEmpty}
	for e, value := range attribute.values {
		f.keeps[e] = p.OnMissing == passMissing
		if attribute.known[e] {
			f.keeps[e] = p.Algorithm.Threshold.holds(value)
		}
	}
	return f
}

func (f attributeFilter) filter(_ *cycle, candidates []int) []int {
	if f.fallbackOnEmpty && !slices.ContainsFunc(candidates, func(e int) bool { return f.keeps[e] }) {
		return candidates
	}
	return slices.DeleteFunc(candidates, func(e int) bool { return !f.keeps[e] })
}

// holds reports whether a value compares with the threshold as it should.
func (t *threshold) holds(value float64) bool {
	switch t.Operator {
	case "LessThan":
		return value < t.Value
	case "LessThanOrEqual":
		return value <= t.Value
	case "GreaterThan":
		return value > t.Value
	case "GreaterThanOrEqual":
		return value >= t.Value
	case "Equal":
		return value == t.Value
	default:
		return value != t.Value
	}
}
