// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const endpointAttributeFilterType = "endpoint-attribute-filter"

// endpointAttributeFilter keeps endpoints whose attribute compares with a
// threshold as the operator says, and with onMissing Pass those without it. Where
// none would be left, fallbackOnEmpty keeps all.
var endpointAttributeFilter = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         endpointAttributeFilterType,
		Registration: version.GIE("router-v0.10.."),
		Roles:        config.FilterRole,
		Alpha:        true,
		Parameters:   func() any { return &attributeFilterParameters{OnMissing: passMissing} },
		Treatment: func(_ *config.Config, cluster *config.Cluster, p *config.Plugin) (config.Treatment, string) {
			return treatPinned(cluster, p.Parameters.(*attributeFilterParameters).attribute())
		},
	},
	NewFilter: func(b *scheduler.Builder, p *config.Plugin) scheduler.Filter {
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

func (p *attributeFilterParameters) Check(l *config.Loader, path *field.Path) {
	if p.Attribute == "" {
		l.Add(field.Required(path.Child("attribute"), "must name an attribute"))
		return
	}
	config.SetDefault(&p.OnMissing, passMissing)
	if p.OnMissing != passMissing && p.OnMissing != failMissing {
		l.Add(field.NotSupported(path.Child("onMissing"), p.OnMissing, []string{passMissing, failMissing}))
	}
	at := path.Child("algorithm")
	switch t := p.Algorithm.Threshold; {
	case p.Algorithm.Type != "threshold":
		l.Add(field.NotSupported(at.Child("type"), p.Algorithm.Type, []string{"threshold"}))
	case t == nil:
		l.Add(field.Required(at.Child("threshold"), "must be set"))
	default:
		config.CheckOneOf(l, at.Child("threshold", "operator"), t.Operator, thresholdOperators)
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

func (f attributeFilter) Filter(_ *scheduler.Cycle, candidates []int) []int {
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
