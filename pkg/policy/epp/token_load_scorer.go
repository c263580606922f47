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
//
// Since router-v0.11 tokens of images, audio and video count nonTextTokenWeight each. Here the prompts of
// media count as text, so the weight has no effect (llm-d-router issue 2220).
var tokenLoadScorer = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         config.TokenLoadScorerType,
		NeededInMay:  []config.DataKind{config.InFlightLoadData},
		Registration: version.GIE("gie-v1.5.."),
		Category:     config.LoadCategory,
		Roles:        config.ScorerRole,
		Parameters: func() any {
			return &tokenLoadParameters{QueueThresholdTokens: defaultTokenThreshold, NonTextTokenWeight: 1}
		},
		Treatment: func(_ *config.Config, _ *config.Cluster, p *config.Plugin) (config.Treatment, string) {
			if p.Parameters.(*tokenLoadParameters).NonTextTokenWeight != 1 {
				return config.Approximated, "nonTextTokenWeight is not simulated: the tokens of media count as those of text"
			}
			return config.Exact, ""
		},
		Needs: func(p *config.Plugin) []config.DataKey {
			producer := p.Parameters.(*tokenLoadParameters).InFlightLoadProducerName
			return []config.DataKey{{Kind: config.UncachedTokensData, Producer: producer}, {Kind: config.InFlightLoadData, Producer: producer}}
		},
	},
	NewScorer: func(b *scheduler.Builder, p *config.Plugin) scheduler.Scorer {
		parameters := p.Parameters.(*tokenLoadParameters)
		s := &tokenLoad{
			load:      b.Load(parameters.InFlightLoadProducerName),
			threshold: float64(parameters.QueueThresholdTokens),
		}
		if b.Dialect.Framework >= version.Router09 {
			s.load, s.withRequest = b.LoadWithRequest(parameters.InFlightLoadProducerName), true
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
	// NonTextTokenWeight is what a token of an image, of audio or of video counts.
	NonTextTokenWeight float64 `json:"nonTextTokenWeight" versions:"router-v0.11.."`
}

func (p *tokenLoadParameters) Check(l *config.Loader, path *field.Path) {
	if p.QueueThresholdTokens <= 0 {
		l.Notice(path.Child("queueThresholdTokens"), "replaced-value", "%d is replaced by the default %d", p.QueueThresholdTokens, defaultTokenThreshold)
		p.QueueThresholdTokens = defaultTokenThreshold
	}
	if p.NonTextTokenWeight <= 0 {
		l.Notice(path.Child("nonTextTokenWeight"), "replaced-value", "%v is replaced by the default 1", p.NonTextTokenWeight)
		p.NonTextTokenWeight = 1
	}
	p.InFlightLoadProducerName = config.OrDefault(p.InFlightLoadProducerName, config.InFlightLoadData)
}

type tokenLoad struct {
	load      *scheduler.InFlightLoad
	threshold float64
	// withRequest is whether what a request would add counts.
	withRequest bool
}

func (s *tokenLoad) Score(_ *scheduler.Cycle, candidates []int, w scheduler.Weight, scores []float64) {
	inFlight, threshold := s.load.Tokens, s.threshold // fields would be read again for each
	uncached, cached := int64(0), []int64(nil)
	if s.withRequest {
		uncached, cached = s.load.Uncached, s.load.Cached
	}
	scores = scores[:len(candidates)]
	for i, e := range candidates {
		raw, tokens := 1.0, inFlight[e]+uncached
		if cached != nil {
			tokens -= cached[e]
		}
		if t := float64(tokens); t >= threshold {
			raw = 0
		} else if tokens > 0 {
			raw = 1 - t/threshold
		}
		scores[i] = w.Of(raw)
	}
}

// KeepRanks reports true where each number of tokens below the threshold has a score of its own.
func (s *tokenLoad) KeepRanks() bool {
	if !s.withRequest || s.threshold > 1<<48 {
		return false
	}
	s.load.KeepRanks()
	return true
}

// Ranks are by tokens in flight less those that are cached. The tokens that a request would add to an
// endpoint without any of its prompt are the same for all, and decide only which endpoints are
// below the threshold.
func (s *tokenLoad) Ranks() (tops *scheduler.ScoreTops, above float64) {
	return s.load.Ranks(), float64(s.load.Uncached) - s.threshold
}
