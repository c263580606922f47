// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"math"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// latencyObservationScorerHub prefers endpoints whose TTFT, as observed, is low at what they have in
// flight now. The prediction t is on lines through the floor at 0, the low and the typical TTFT at
// what was in flight then. The low one is left out if it has less than minInflightGap requests
// fewer in flight than the typical one, or none, or is not between the other two. The score is
// (greatest t − t)/(greatest t − least t); 1 where all are the same.
//
// Endpoints without a floor have the least t; those with a floor and too few recent observations
// have their floor. With the probability explorationRate, drawn for each of both kinds, the score
// is 1 instead, and else 0 where there are others. Where no endpoint has a floor, all score 1.
//
// Source: pkg/epp/framework/plugins/scheduling/scorer/latencyobservation of llm-d-router pull request 2371.
var latencyObservationScorerHub = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         "latency-observation-scorer-hub",
		Registration: version.GIE("router-v0.11.."),
		Category:     config.LoadCategory,
		Roles:        config.ScorerRole,
		Alpha:        true,
		Parameters:   func() any { return &observationScorerParameters{ExplorationRate: 0.1, MinInflightGap: 2} },
		Needs: func(p *config.Plugin) []config.DataKey {
			parameters := p.Parameters.(*observationScorerParameters)
			return []config.DataKey{
				{Kind: config.ObservedLatencyData, Producer: parameters.TTFTPercentilesProducerName},
				{Kind: config.InFlightLoadData, Producer: parameters.InFlightLoadProducerName},
			}
		},
		Freshness: "observations as of the last interval of the observer, requests in flight at once",
		Treatment: func(c *config.Config, _ *config.Cluster, p *config.Plugin) (config.Treatment, string) {
			if name := p.Parameters.(*observationScorerParameters).TTFTPercentilesProducerName; !c.HasSource(name) {
				return config.Exact, "all endpoints score 1: " + name + " is not among dataLayer.sources"
			}
			return config.Exact, ""
		},
	},
	NewScorer: func(b *scheduler.Builder, p *config.Plugin) scheduler.Scorer {
		parameters := p.Parameters.(*observationScorerParameters)
		s := &observationScorer{
			observationScorerParameters: parameters,
			observer:                    observerOf(b, b.Plugins[parameters.TTFTPercentilesProducerName]),
			load:                        b.Load(parameters.InFlightLoadProducerName),
			random:                      stats.NewStream(b.Seed, "epp/"+p.Name),
			shown:                       b.PredictionOf(p.Name),
		}
		for e := range b.Endpoints {
			s.shown.Tpot[e], s.shown.TtftHeadroom[e], s.shown.TpotHeadroom[e] = math.NaN(), math.NaN(), math.NaN()
		}
		return s
	},
}

type observationScorerParameters struct {
	ExplorationRate float64 `json:"explorationRate"`
	MinInflightGap  float64 `json:"minInflightGap"`
	// RoundTTFTStep is in seconds: predictions are rounded to multiples of it; 0 leaves them as they are.
	RoundTTFTStep               float64 `json:"roundTTFTStep"`
	TTFTPercentilesProducerName string  `json:"ttftPercentilesProducerName"`
	InFlightLoadProducerName    string  `json:"inFlightLoadProducerName"`
}

func (p *observationScorerParameters) Check(l *config.Loader, path *field.Path) {
	p.TTFTPercentilesProducerName = config.OrDefault(p.TTFTPercentilesProducerName, config.ObservedLatencyData)
	p.InFlightLoadProducerName = config.OrDefault(p.InFlightLoadProducerName, config.InFlightLoadData)
	if p.ExplorationRate < 0 || p.ExplorationRate > 1 {
		l.Add(field.Invalid(path.Child("explorationRate"), p.ExplorationRate, "must be from 0 to 1"))
	}
	if p.MinInflightGap <= 0 {
		l.Add(field.Invalid(path.Child("minInflightGap"), p.MinInflightGap, "must be greater than 0"))
	}
	if p.RoundTTFTStep < 0 {
		l.Add(field.Invalid(path.Child("roundTTFTStep"), p.RoundTTFTStep, "must not be negative"))
	}
}

type observationScorer struct {
	*observationScorerParameters
	observer *latencyObserver
	load     *scheduler.InFlightLoad
	random   *stats.Stream
	// shown is what explanations have: predicted times to the first token.
	shown *scheduler.LatencyPrediction
	// known is memory: what is known of the candidates.
	known []observedCandidate
}

// An observedCandidate is what the scorer makes of an endpoint.
type observedCandidate struct {
	// ttft is predicted, in seconds.
	ttft float64
	// seen is whether the endpoint has a floor, and trusted whether it has enough recent observations.
	seen, trusted bool
}

func (s *observationScorer) Score(_ *scheduler.Cycle, candidates []int, w scheduler.Weight, scores []float64) {
	clear(s.shown.Known)
	s.known = s.known[:0]
	least, greatest, someTrusted := math.Inf(1), 0.0, false
	for _, e := range candidates {
		k := s.look(e)
		s.known = append(s.known, k)
		if k.seen {
			least, greatest = min(least, k.ttft), max(greatest, k.ttft)
			s.shown.Known[e], s.shown.Ttft[e] = true, k.ttft*1000
		}
		someTrusted = someTrusted || k.trusted
	}
	for i := range candidates {
		scores[i] = w.Of(s.scoreOf(&s.known[i], least, greatest, someTrusted))
	}
}

// scoreOf is the raw score of a candidate. least is infinite where none has a floor.
func (s *observationScorer) scoreOf(k *observedCandidate, least, greatest float64, someTrusted bool) float64 {
	switch {
	case math.IsInf(least, 1):
		return 1
	case !k.trusted && s.ExplorationRate > 0:
		if s.random.Float64() < s.ExplorationRate {
			return 1
		}
		if someTrusted {
			return 0
		}
	}
	if !k.seen || greatest == least {
		return 1
	}
	return (greatest - k.ttft) / (greatest - least)
}

// look says what is known of an endpoint.
func (s *observationScorer) look(e int) observedCandidate {
	o := &s.observer.endpoints[e].published
	k := observedCandidate{ttft: o.floor, seen: o.floor > 0}
	k.trusted = k.seen && o.calibrated && o.inFlightAtTyp > 0 && o.typical > o.floor
	if k.trusted {
		k.ttft = s.predict(o, float64(s.load.Requests[e]))
	}
	if s.RoundTTFTStep > 0 {
		k.ttft = float64(math.Round(k.ttft/s.RoundTTFTStep) * s.RoundTTFTStep)
	}
	return k
}

// predict is the TTFT at a number of requests in flight.
func (s *observationScorer) predict(o *observedLatency, inFlight float64) float64 {
	bends := o.inFlightAtTyp-o.inFlightAtLow >= s.MinInflightGap && o.typical > o.low && o.low > o.floor && o.inFlightAtLow > 0
	switch {
	case bends && inFlight < o.inFlightAtLow:
		return max(o.floor, o.floor+float64(inFlight*(o.low-o.floor))/o.inFlightAtLow)
	case bends:
		return max(o.floor, o.low+float64((inFlight-o.inFlightAtLow)*(o.typical-o.low))/(o.inFlightAtTyp-o.inFlightAtLow))
	default:
		return max(o.floor, o.floor+float64(inFlight*(o.typical-o.floor))/o.inFlightAtTyp)
	}
}
