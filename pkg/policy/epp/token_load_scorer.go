// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// tokenLoadScorer prefers endpoints with few tokens to compute, by the EPP's
// own count: 1 − min(t, threshold)/threshold, t being the tokens in flight there
// and, since router-v0.9, those that this request would add.
var tokenLoadScorer = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         config.TokenLoadScorerType,
		NeededInMay:  []config.DataKind{config.InFlightLoadData},
		Registration: version.GIE("gie-v1.5.."),
		Category:     config.LoadCategory,
		Roles:        config.ScorerRole,
		Parameters:   func() any { return &tokenLoadParameters{QueueThresholdTokens: defaultTokenThreshold} },
		Needs: func(p *config.Plugin) []config.DataKey {
			producer := p.Parameters.(*tokenLoadParameters).InFlightLoadProducerName
			return []config.DataKey{{Kind: config.UncachedTokensData, Producer: producer}, {Kind: config.InFlightLoadData, Producer: producer}}
		},
	},
	NewScorer: func(b *scheduler.Builder, p *config.Plugin) scheduler.Scorer {
		parameters := p.Parameters.(*tokenLoadParameters)
		s := &tokenLoad{
			inFlight:  b.Load(parameters.InFlightLoadProducerName).Tokens,
			threshold: float64(parameters.QueueThresholdTokens),
		}
		if b.Dialect.Framework >= version.Router09 {
			s.uncached = b.Uncached(parameters.InFlightLoadProducerName)
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

func (p *tokenLoadParameters) Check(l *config.Loader, path *field.Path) {
	if p.QueueThresholdTokens <= 0 {
		l.Notice(path.Child("queueThresholdTokens"), "replaced-value", "%d is replaced by the default %d", p.QueueThresholdTokens, defaultTokenThreshold)
		p.QueueThresholdTokens = defaultTokenThreshold
	}
	p.InFlightLoadProducerName = config.OrDefault(p.InFlightLoadProducerName, config.InFlightLoadData)
}

type tokenLoad struct {
	// inFlight and uncached are by endpoint; uncached is nil where what a request
	// would add does not count.
	inFlight, uncached []int64
	threshold          float64
}

func (s *tokenLoad) Score(_ *scheduler.Cycle, candidates []int, w scheduler.Weight, scores []float64) {
	inFlight, uncached, threshold := s.inFlight, s.uncached, s.threshold // fields would be read again for each
	scores = scores[:len(candidates)]
	for i, e := range candidates {
		raw, tokens := 1.0, inFlight[e]
		if uncached != nil {
			tokens += uncached[e]
		}
		if t := float64(tokens); t >= threshold {
			raw = 0
		} else if tokens > 0 {
			raw = 1 - t/threshold
		}
		scores[i] = w.Of(raw)
	}
}
