// SPDX-License-Identifier: Apache-2.0

package epp

import "k8s.io/apimachinery/pkg/util/validation/field"

// tokenLoadScorer prefers endpoints with few tokens to compute, by the EPP's
// own count: 1 − min(t, threshold)/threshold, t being the tokens in flight there
// and, since router-v0.9, those that this request would add.
var tokenLoadScorer = factory{
	pluginType: pluginType{
		name:         tokenLoadScorerType,
		neededInMay:  []dataKind{inFlightLoadData},
		registration: gie("gie-v1.5.."),
		category:     LoadCategory,
		roles:        scorerRole,
		parameters:   func() any { return &tokenLoadParameters{QueueThresholdTokens: defaultTokenThreshold} },
		needs: func(p *plugin) []dataKey {
			producer := p.Parameters.(*tokenLoadParameters).InFlightLoadProducerName
			return []dataKey{{uncachedTokensData, producer}, {inFlightLoadData, producer}}
		},
	},
	newScorer: func(b *builder, p *plugin) scorer {
		parameters := p.Parameters.(*tokenLoadParameters)
		s := &tokenLoad{
			inFlight:  b.load(parameters.InFlightLoadProducerName).tokens,
			threshold: float64(parameters.QueueThresholdTokens),
		}
		if b.dialect.framework >= router09 {
			s.uncached = b.uncached(parameters.InFlightLoadProducerName)
		}
		return s
	},
}

// defaultTokenThreshold is 128 requests of 32k tokens.
const defaultTokenThreshold = 128 * 32768

type tokenLoadParameters struct {
	// QueueThresholdTokens is the number of tokens that scores 0.
	QueueThresholdTokens     int    `json:"queueThresholdTokens"`
	InFlightLoadProducerName string `json:"inFlightLoadProducerName" versions:"router-v0.9.."`
}

func (p *tokenLoadParameters) check(l *loader, path *field.Path) {
	if p.QueueThresholdTokens <= 0 {
		l.notice(path.Child("queueThresholdTokens"), "replaced-value", "%d is replaced by the default %d", p.QueueThresholdTokens, defaultTokenThreshold)
		p.QueueThresholdTokens = defaultTokenThreshold
	}
	p.InFlightLoadProducerName = orDefault(p.InFlightLoadProducerName, inFlightLoadData)
}

type tokenLoad struct {
	// inFlight and uncached are by endpoint; uncached is nil where what a request
	// would add does not count.
	inFlight, uncached []int64
	threshold          float64
}

func (s *tokenLoad) score(_ *cycle, candidates []int, w weight, scores []float64) {
	for i, e := range candidates {
		raw, tokens := 1.0, s.inFlight[e]
		if s.uncached != nil {
			tokens += s.uncached[e]
		}
		if tokens > 0 {
			raw = 1 - min(float64(tokens), s.threshold)/s.threshold
		}
		scores[i] = w.of(raw)
	}
}
