// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const endpointAttributeScorerType = "endpoint-attribute-scorer"

// endpointAttributeScorer maps one attribute of an endpoint to a score,
// linearly: the least of a range to 0 and the greatest to 1, or the other way
// round where lower is better. The range is fixed, and what lies outside is
// clamped, or it is that of the candidates, and 1 for all if all are equal. An
// endpoint without the attribute scores 0.
var endpointAttributeScorer = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         endpointAttributeScorerType,
		Registration: version.GIE("router-v0.10.."),
		Category:     config.LoadCategory,
		Roles:        config.ScorerRole,
		Alpha:        true,
		Parameters:   func() any { return &attributeScorerParameters{} },
		Treatment: func(_ *config.Config, cluster *config.Cluster, p *config.Plugin) (config.Treatment, string) {
			return treatPinned(cluster, p.Parameters.(*attributeScorerParameters).attribute())
		},
	},
	NewScorer: func(b *scheduler.Builder, p *config.Plugin) scheduler.Scorer {
		parameters := p.Parameters.(*attributeScorerParameters)
		return &attributeScorer{
			attribute:     pinnedOf(b, parameters.attribute()),
			fixed:         parameters.Algorithm.Normalization.FixedRange,
			lowerIsBetter: parameters.Algorithm.Type == lowerIsBetter,
		}
	},
}

const (
	lowerIsBetter  = "linear_lower_is_better"
	higherIsBetter = "linear_higher_is_better"
)

type attributeScorerParameters struct {
	AttributeKey string `json:"attributeKey"`
	// Producer is the plugin that states the attribute: the core metrics
	// extractor where it is absent, any where it is empty.
	Producer  *string            `json:"producer,omitempty" versions:"router-main.."`
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

func (p *attributeScorerParameters) Check(l *config.Loader, path *field.Path) {
	if p.AttributeKey == "" {
		l.Add(field.Required(path.Child("attributeKey"), "must name an attribute"))
		return
	}
	at := path.Child("algorithm")
	if p.Algorithm.Type != lowerIsBetter && p.Algorithm.Type != higherIsBetter {
		l.Add(field.NotSupported(at.Child("type"), p.Algorithm.Type, []string{lowerIsBetter, higherIsBetter}))
	}
	n := &p.Algorithm.Normalization
	switch {
	case n.FixedRange == nil:
	case n.AdaptiveRange != nil:
		l.Add(field.Forbidden(at.Child("normalization", "adaptiveRange"), "cannot be set together with fixedRange"))
	case n.FixedRange.Min >= n.FixedRange.Max:
		l.Add(field.Invalid(at.Child("normalization", "fixedRange", "max"), n.FixedRange.Max, "must be greater than min"))
	}
	checkAttribute(l, p.AttributeKey, p.Producer, path.Child("attributeKey"))
}

func (p *attributeScorerParameters) attribute() attributeName {
	return configuredAttribute(p.AttributeKey, p.Producer)
}

type attributeScorer struct {
	attribute     pinnedAttribute
	fixed         *attributeRange // nil where the range is that of the candidates
	lowerIsBetter bool
}

func (s *attributeScorer) Score(_ *scheduler.Cycle, candidates []int, w scheduler.Weight, scores []float64) {
	within := s.attribute.spread(candidates)
	if s.fixed != nil {
		within = *s.fixed
	}
	for i, e := range candidates {
		raw := 0.0
		if s.attribute.known[e] {
			raw = s.raw(s.attribute.values[e], within)
		}
		scores[i] = w.Of(raw)
	}
}

func (s *attributeScorer) raw(value float64, within attributeRange) float64 {
	if within.Min == within.Max {
		return 1
	}
	share := max(0, min(1, (value-within.Min)/(within.Max-within.Min)))
	if s.lowerIsBetter {
		return 1 - share
	}
	return share
}
