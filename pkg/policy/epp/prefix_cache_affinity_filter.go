// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"math"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
)

const prefixCacheAffinityFilterType = "prefix-cache-affinity-filter"

// prefixCacheAffinityFilter keeps the endpoints that hold the prompt, those
// with a share of matched blocks of affinityThreshold or more, unless they are
// too busy: the time to the first token, estimated as tokens in flight ÷
// peakPrefillThroughput, of the least busy one of them exceeds that of the least
// busy other one by more than maxTTFTPenaltyMs. A penalty of 0 is no limit. All
// stay where none holds the prompt, and with explorationProbability. With
// ttftSource latencyPredictor the time is a prediction, as it always is before
// router-v0.9: where nobody predicts, holders are never too busy.
var prefixCacheAffinityFilter = factory{
	pluginType: pluginType{
		name:         prefixCacheAffinityFilterType,
		neededInMay:  []dataKind{latencyData, prefixMatchData},
		registration: gie("gie-v1.5.."),
		roles:        filterRole,
		parameters: func() any {
			return &prefixAffinityParameters{
				AffinityThreshold:     0.8,
				MaxTTFTPenaltyMs:      18000,
				TTFTSource:            prefillThroughput,
				PeakPrefillThroughput: 15928,
			}
		},
		needs: func(p *plugin) []dataKey {
			parameters := p.Parameters.(*prefixAffinityParameters)
			keys := []dataKey{{prefixMatchData, parameters.PrefixMatchInfoProducerName}}
			switch {
			case parameters.predicts():
				keys = append(keys, dataKey{latencyData, parameters.LatencyPredictionInfoProducerName})
			case parameters.MaxTTFTPenaltyMs > 0:
				keys = append(keys, dataKey{inFlightLoadData, parameters.InFlightLoadProducerName})
			}
			return keys
		},
		obstacles: func(c *Config, _ *Cluster, p *plugin, at *field.Path) field.ErrorList {
			return append(readsTold(c, p, at), severalPredict(c, p, at)...)
		},
	},
	newFilter: newPrefixAffinity,
}

const (
	prefillThroughput = "prefillThroughput"
	latencyPredictor  = "latencyPredictor"
)

type prefixAffinityParameters struct {
	AffinityThreshold                 float64 `json:"affinityThreshold"`
	ExplorationProbability            float64 `json:"explorationProbability"`
	MaxTTFTPenaltyMs                  float64 `json:"maxTTFTPenaltyMs"`
	TTFTSource                        string  `json:"ttftSource" versions:"router-v0.9.."`
	PeakPrefillThroughput             float64 `json:"peakPrefillThroughput" versions:"router-v0.9.."`
	PrefixMatchInfoProducerName       string  `json:"prefixMatchInfoProducerName" versions:"router-v0.9.."`
	LatencyPredictionInfoProducerName string  `json:"latencyPredictionInfoProducerName" versions:"router-v0.9.."`
	InFlightLoadProducerName          string  `json:"inFlightLoadProducerName" versions:"router-v0.9.."`
}

func (p *prefixAffinityParameters) defaults(at release) {
	if at < router09 {
		p.ExplorationProbability, p.MaxTTFTPenaltyMs, p.TTFTSource = 0.01, 5000, latencyPredictor
	}
}

// moved is for a parameter that stood between two releases.
func (p *prefixAffinityParameters) moved(name string) string {
	if name == "maxTokensInFlightPenalty" {
		return "no release has it; maxTTFTPenaltyMs is the same gate in time, tokens ÷ peakPrefillThroughput · 1000"
	}
	return ""
}

func (p *prefixAffinityParameters) check(l *loader, path *field.Path) {
	p.PrefixMatchInfoProducerName = orDefault(p.PrefixMatchInfoProducerName, prefixMatchData)
	p.LatencyPredictionInfoProducerName = orDefault(p.LatencyPredictionInfoProducerName, latencyData)
	p.InFlightLoadProducerName = orDefault(p.InFlightLoadProducerName, inFlightLoadData)
	if p.AffinityThreshold > 1 {
		l.add(field.Invalid(path.Child("affinityThreshold"), p.AffinityThreshold, "must be at most 1"))
	}
	if p.ExplorationProbability < 0 || p.ExplorationProbability > 1 {
		l.add(field.Invalid(path.Child("explorationProbability"), p.ExplorationProbability, "must be between 0 and 1"))
	}
	if p.MaxTTFTPenaltyMs < 0 {
		l.add(field.Invalid(path.Child("maxTTFTPenaltyMs"), p.MaxTTFTPenaltyMs, "must not be negative"))
	}
	if p.PeakPrefillThroughput < 0 {
		l.add(field.Invalid(path.Child("peakPrefillThroughput"), p.PeakPrefillThroughput, "must not be negative"))
	}
	p.checkSource(l, path)
}

func (p *prefixAffinityParameters) checkSource(l *loader, path *field.Path) {
	switch {
	case p.TTFTSource != prefillThroughput && p.TTFTSource != latencyPredictor:
		l.add(field.NotSupported(path.Child("ttftSource"), p.TTFTSource, []string{latencyPredictor, prefillThroughput}))
	case p.TTFTSource == prefillThroughput && p.MaxTTFTPenaltyMs > 0 && p.PeakPrefillThroughput == 0:
		l.add(field.Invalid(path.Child("peakPrefillThroughput"), p.PeakPrefillThroughput, "must be greater than 0 where ttftSource is "+prefillThroughput))
	}
}

// predicts reports whether the time to the first token is a prediction of
// latency rather than an estimate from tokens in flight.
func (p *prefixAffinityParameters) predicts() bool {
	return p.TTFTSource == latencyPredictor && p.MaxTTFTPenaltyMs > 0
}

func newPrefixAffinity(b *builder, p *plugin) filter {
	parameters := p.Parameters.(*prefixAffinityParameters)
	if parameters.AffinityThreshold <= 0 {
		return nil
	}
	f := &prefixAffinity{
		match:       b.prefixMatch(parameters.PrefixMatchInfoProducerName),
		threshold:   parameters.AffinityThreshold,
		penaltyMs:   parameters.MaxTTFTPenaltyMs,
		perSecond:   parameters.PeakPrefillThroughput,
		exploration: parameters.ExplorationProbability,
		random:      stats.NewStream(b.seed, "epp/"+b.profile+"/"+p.Name),
	}
	switch {
	case parameters.predicts():
		f.predicted = b.prediction(parameters.LatencyPredictionInfoProducerName)
	case f.penaltyMs > 0:
		f.inFlight = b.load(parameters.InFlightLoadProducerName).tokens
	}
	return f
}

type prefixAffinity struct {
	match       *prefixMatch
	inFlight    []int64            // by endpoint; nil where the penalty is 0 or predicted
	predicted   *latencyPrediction // nil where times are estimated
	threshold   float64
	penaltyMs   float64
	perSecond   float64
	exploration float64
	random      *stats.Stream
}

func (f *prefixAffinity) filter(_ *cycle, candidates []int) []int {
	if len(candidates) <= 1 {
		return candidates
	}
	if f.exploration > 0 && f.random.Float64() < f.exploration {
		return candidates
	}
	if f.match.totalBlocks == 0 || !f.narrows(candidates) {
		return candidates
	}
	kept := candidates[:0]
	for _, e := range candidates {
		if f.holds(e) {
			kept = append(kept, e)
		}
	}
	return kept
}

// holds reports whether an endpoint holds the prompt, or enough of it.
func (f *prefixAffinity) holds(endpoint int) bool {
	return float64(f.match.blocks[endpoint])/float64(f.match.totalBlocks) >= f.threshold
}

// narrows reports whether only the endpoints that hold the prompt stay.
func (f *prefixAffinity) narrows(candidates []int) bool {
	if f.predicted != nil {
		return f.narrowsByPrediction(candidates)
	}
	holders, least, leastOfOthers := 0, int64(math.MaxInt64), int64(math.MaxInt64)
	for _, e := range candidates {
		tokens := int64(0)
		if f.inFlight != nil {
			tokens = f.inFlight[e]
		}
		if f.holds(e) {
			holders++
			least = min(least, tokens)
		} else {
			leastOfOthers = min(leastOfOthers, tokens)
		}
	}
	if holders == 0 || holders == len(candidates) {
		return false
	}
	return f.penaltyMs == 0 || f.milliseconds(least)-f.milliseconds(leastOfOthers) <= f.penaltyMs
}

// milliseconds estimates when a first token would come, after so many tokens.
func (f *prefixAffinity) milliseconds(tokens int64) float64 {
	return float64(float64(tokens) / f.perSecond * 1000)
}

// narrowsByPrediction is narrows where times are predicted. An endpoint without a
// prediction is never the fastest.
func (f *prefixAffinity) narrowsByPrediction(candidates []int) bool {
	holders, least, leastOfOthers := 0, math.MaxFloat64, math.MaxFloat64
	for _, e := range candidates {
		ms := math.MaxFloat64
		if f.predicted.known[e] {
			ms = f.predicted.ttft[e]
		}
		if f.holds(e) {
			holders++
			least = min(least, ms)
		} else {
			leastOfOthers = min(leastOfOthers, ms)
		}
	}
	if holders == 0 || holders == len(candidates) {
		return false
	}
	return least-leastOfOthers <= f.penaltyMs
}
