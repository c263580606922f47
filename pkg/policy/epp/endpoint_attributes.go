// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	endpointAttributeScorerType = "endpoint-attribute-scorer"
	endpointAttributeFilterType = "endpoint-attribute-filter"
)

// needsAttributes is the treatment of what reads attributes that nobody states.
var needsAttributes = unsupported("it needs attributes of endpoints")

// endpointAttributeScorer maps one attribute of an endpoint to a score,
// linearly.
var endpointAttributeScorer = pluginType{
	name:       endpointAttributeScorerType,
	roles:      scorerRole,
	since:      router10,
	alpha:      true,
	parameters: func() any { return &attributeScorerParameters{} },
	treatment:  needsAttributes,
}

const (
	lowerIsBetter  = "linear_lower_is_better"
	higherIsBetter = "linear_higher_is_better"
)

type attributeScorerParameters struct {
	AttributeKey string `json:"attributeKey"`
	// Producer is the plugin that states the attribute: the core metrics
	// extractor where it is absent, any where it is empty.
	Producer  *string            `json:"producer,omitempty"`
	Algorithm attributeAlgorithm `json:"algorithm"`
}

type attributeAlgorithm struct {
	Type          string                 `json:"type"`
	Normalization attributeNormalization `json:"normalization,omitzero"`
}

// attributeNormalization is adaptive where no range is fixed.
type attributeNormalization struct {
	FixedRange    *attributeRange `json:"fixedRange,omitempty"`
	AdaptiveRange *struct{}       `json:"adaptiveRange,omitempty"`
}

type attributeRange struct {
	Min float64 `json:"min"`
	Max float64 `json:"max"`
}

func (p *attributeScorerParameters) check(l *loader, path *field.Path) {
	if p.AttributeKey == "" {
		l.add(field.Required(path.Child("attributeKey"), "must name an attribute"))
		return
	}
	at := path.Child("algorithm")
	if p.Algorithm.Type != lowerIsBetter && p.Algorithm.Type != higherIsBetter {
		l.add(field.NotSupported(at.Child("type"), p.Algorithm.Type, []string{lowerIsBetter, higherIsBetter}))
	}
	n := &p.Algorithm.Normalization
	switch {
	case n.FixedRange == nil:
	case n.AdaptiveRange != nil:
		l.add(field.Forbidden(at.Child("normalization", "adaptiveRange"), "cannot stand beside fixedRange"))
	case n.FixedRange.Min >= n.FixedRange.Max:
		l.add(field.Invalid(at.Child("normalization", "fixedRange", "max"), n.FixedRange.Max, "must be greater than min"))
	}
	checkAttribute(l, p.AttributeKey, p.Producer, path.Child("attributeKey"))
}

// checkAttribute refuses the old spelling, attribute and producer in one.
func checkAttribute(l *loader, name string, producer *string, at *field.Path) {
	if i := strings.LastIndex(name, "/"); i >= 0 && producer == nil {
		l.add(field.Invalid(at, name, fmt.Sprintf("must not contain a slash where no producer is set: did you mean attribute %q of producer %q?", name[:i], name[i+1:])))
	}
}

// endpointAttributeFilter keeps endpoints whose attribute compares well with a
// threshold.
var endpointAttributeFilter = pluginType{
	name:       endpointAttributeFilterType,
	roles:      filterRole,
	since:      router10,
	alpha:      true,
	parameters: func() any { return &attributeFilterParameters{OnMissing: passMissing} },
	treatment:  needsAttributes,
}

const (
	passMissing = "Pass"
	failMissing = "Fail"
)

var thresholdOperators = []string{"LessThan", "LessThanOrEqual", "GreaterThan", "GreaterThanOrEqual", "Equal", "NotEqual"}

type attributeFilterParameters struct {
	Attribute       string             `json:"attribute"`
	Producer        *string            `json:"producer,omitempty"`
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
