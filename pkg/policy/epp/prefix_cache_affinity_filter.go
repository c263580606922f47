// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
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
// router-v0.9: without predictions, holders are never too busy.
var prefixCacheAffinityFilter = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         prefixCacheAffinityFilterType,
		NeededInMay:  []config.DataKind{config.LatencyData, config.PrefixMatchData},
		Registration: version.GIE("gie-v1.5.."),
		Roles:        config.FilterRole,
		Parameters: func() any {
			return &prefixAffinityParameters{
				AffinityThreshold:     0.8,
				MaxTTFTPenaltyMs:      18000,
				TTFTSource:            prefillThroughput,
				PeakPrefillThroughput: 15928,
			}
		},
		Needs: func(p *config.Plugin) []config.DataKey {
			parameters := p.Parameters.(*prefixAffinityParameters)
			keys := []config.DataKey{{Kind: config.PrefixMatchData, Producer: parameters.PrefixMatchInfoProducerName}}
			switch {
			case parameters.predicts():
				keys = append(keys, config.DataKey{Kind: config.LatencyData, Producer: parameters.LatencyPredictionInfoProducerName})
			case parameters.MaxTTFTPenaltyMs > 0:
				keys = append(keys, config.DataKey{Kind: config.InFlightLoadData, Producer: parameters.InFlightLoadProducerName})
			}
			return keys
		},
		Obstacles: func(c *config.Config, _ *config.Cluster, p *config.Plugin, at *field.Path) field.ErrorList {
			return append(checkReadsSharedMatch(c, p, at), severalPredict(c, p, at)...)
		},
	},
	NewFilter: newPrefixAffinity,
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

func (p *prefixAffinityParameters) Defaults(at version.Release) {
	if at < version.Router09 {
		p.ExplorationProbability, p.MaxTTFTPenaltyMs, p.TTFTSource = 0.01, 5000, latencyPredictor
	}
}

// Moved is for a parameter that stood between two releases.
func (p *prefixAffinityParameters) Moved(name string) string {
	if name == "maxTokensInFlightPenalty" {
		return "no release has it; maxTTFTPenaltyMs is the same gate in time, tokens ÷ peakPrefillThroughput · 1000"
	}
	return ""
}

func (p *prefixAffinityParameters) Check(l *config.Loader, path *field.Path) {
	p.PrefixMatchInfoProducerName = config.OrDefault(p.PrefixMatchInfoProducerName, config.PrefixMatchData)
	p.LatencyPredictionInfoProducerName = config.OrDefault(p.LatencyPredictionInfoProducerName, config.LatencyData)
	p.InFlightLoadProducerName = config.OrDefault(p.InFlightLoadProducerName, config.InFlightLoadData)
	if p.AffinityThreshold > 1 {
		l.Add(field.Invalid(path.Child("affinityThreshold"), p.AffinityThreshold, "must be at most 1"))
	}
	if p.ExplorationProbability < 0 || p.ExplorationProbability > 1 {
		l.Add(field.Invalid(path.Child("explorationProbability"), p.ExplorationProbability, "must be between 0 and 1"))
	}
	if p.MaxTTFTPenaltyMs < 0 {
		l.Add(field.Invalid(path.Child("maxTTFTPenaltyMs"), p.MaxTTFTPenaltyMs, "must not be negative"))
	}
	if p.PeakPrefillThroughput < 0 {
		l.Add(field.Invalid(path.Child("peakPrefillThroughput"), p.PeakPrefillThroughput, "must not be negative"))
	}
	p.checkSource(l, path)
}

func (p *prefixAffinityParameters) checkSource(l *config.Loader, path *field.Path) {
	switch {
	case p.TTFTSource != prefillThroughput && p.TTFTSource != latencyPredictor:
		l.Add(field.NotSupported(path.Child("ttftSource"), p.TTFTSource, []string{latencyPredictor, prefillThroughput}))
	case p.TTFTSource == prefillThroughput && p.MaxTTFTPenaltyMs > 0 && p.PeakPrefillThroughput == 0:
		l.Add(field.Invalid(path.Child("peakPrefillThroughput"), p.PeakPrefillThroughput, "must be greater than 0 where ttftSource is "+prefillThroughput))
	}
}

// predicts reports whether the time to the first token is a prediction of
// latency rather than an estimate from tokens in flight.
func (p *prefixAffinityParameters) predicts() bool {
	return p.TTFTSource == latencyPredictor && p.MaxTTFTPenaltyMs > 0
}

func newPrefixAffinity(b *scheduler.Builder, p *config.Plugin) scheduler.Filter {
	parameters := p.Parameters.(*prefixAffinityParameters)
	if parameters.AffinityThreshold <= 0 {
		return nil
	}
	f := &prefixAffinity{
		match:       b.PrefixMatch(parameters.PrefixMatchInfoProducerName),
		threshold:   parameters.AffinityThreshold,
		penaltyMs:   parameters.MaxTTFTPenaltyMs,
		perSecond:   parameters.PeakPrefillThroughput,
		exploration: parameters.ExplorationProbability,
		random:      stats.NewStream(b.Seed, "epp/"+b.Profile+"/"+p.Name),
	}
	switch {
	case parameters.predicts():
		f.predicted = b.PredictionOf(parameters.LatencyPredictionInfoProducerName)
	case f.penaltyMs > 0:
		f.inFlight = b.Load(parameters.InFlightLoadProducerName).Tokens
	}
	return f
}

type prefixAffinity struct {
	match       *scheduler.PrefixMatch
	inFlight    []int64                      // by endpoint; nil where the penalty is 0 or predicted
	predicted   *scheduler.LatencyPrediction // nil where times are estimated
	threshold   float64
	penaltyMs   float64
	perSecond   float64
	exploration float64
	random      *stats.Stream
	kept        []int // of the last request
}

func (f *prefixAffinity) Filter(_ *scheduler.Cycle, candidates []int) []int {
	if len(candidates) <= 1 {
		return candidates
	}
	if f.exploration > 0 && f.random.Float64() < f.exploration {
		return candidates
	}
	if f.match.TotalBlocks == 0 {
		return candidates
	}
	if f.match.Listed && f.predicted == nil && len(candidates) == len(f.match.Blocks) {
		if kept, decided := f.holdersAmong(candidates); decided {
			return kept
		}
	}
	if !f.narrows(candidates) {
		return candidates
	}
	f.kept = f.kept[:0]
	for _, e := range candidates {
		if f.holds(e) {
			f.kept = append(f.kept, e)
		}
	}
	return f.kept
}

func (*prefixAffinity) Preserves() {}

// holdersAmong returns which of all endpoints stay, without a look at those that hold nothing.
// That is not decided where the least busy holder is too busy beside an endpoint with nothing to do.
func (f *prefixAffinity) holdersAmong(all []int) (kept []int, decided bool) {
	least := int64(math.MaxInt64)
	f.kept = f.kept[:0]
	for _, e := range f.match.Held {
		if !f.holds(int(e)) {
			continue
		}
		f.kept = append(f.kept, int(e))
		if f.inFlight != nil {
			least = min(least, f.inFlight[e])
		}
	}
	if n := len(f.kept); n == 0 || n == len(all) {
		return all, true
	}
	slices.Sort(f.kept)
	return f.kept, f.penaltyMs == 0 || f.milliseconds(least) <= f.penaltyMs
}

// holds reports whether an endpoint holds the prompt, or enough of it.
func (f *prefixAffinity) holds(endpoint int) bool {
	return float64(f.match.Blocks[endpoint])/float64(f.match.TotalBlocks) >= f.threshold
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

// milliseconds estimates when a first token would come, after a number of tokens.
func (f *prefixAffinity) milliseconds(tokens int64) float64 {
	return float64(float64(tokens) / f.perSecond * 1000)
}

// narrowsByPrediction is narrows where times are predicted. An endpoint without a
// prediction is never the fastest.
func (f *prefixAffinity) narrowsByPrediction(candidates []int) bool {
	holders, least, leastOfOthers := 0, math.MaxFloat64, math.MaxFloat64
	for _, e := range candidates {
		ms := math.MaxFloat64
		if f.predicted.Known[e] {
			ms = f.predicted.Ttft[e]
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
