// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// predictedSelection is what a predicted-latency-scorer does. Its predictions are
// made as those of a predicted-latency-producer, with what its version knew.
type predictedSelection struct {
	*predictedLatency
	selection headroomSelection
	// predicts is whether it ever does, and ahead whether that is for all endpoints,
	// before any profile runs.
	predicts, ahead bool
	// predictedFor is the cycle of the last predictions.
	predictedFor uint64

	// prompts counts the requests so far and promptTokens their tokens.
	prompts, promptTokens int64
}

func newPredictedSelection(b *scheduler.Builder, p *config.Plugin) *predictedSelection {
	parameters := p.Parameters.(*predictedLatencyScorerParameters)
	at := b.Dialect.Framework
	told := at >= version.GIE15 || b.Prepares
	s := &predictedSelection{
		predictedLatency: newPredictedLatency(b, p.Name, &predictedLatencyParameters{
			SLOBufferFactor:             parameters.SLOBufferFactor,
			ContextTTL:                  parameters.ContextTTL,
			StreamingMode:               parameters.StreamingMode,
			PredictInProduce:            true,
			PrefixMatchInfoProducerName: p.Name,
			InFlightLoadProducerName:    p.Name,
		}),
		predicts: at < version.GIE14 || told,
		ahead:    at >= version.GIE14,
	}
	if at < version.GIE14 || s.ContextTTL <= 0 {
		s.ContextTTL = math.MaxInt64 / 2
	}
	s.objectivesUnknown = !told
	if at < version.GIE15 {
		s.loadOf = s.scraped
		s.match, _ = attachedMatch(b)
	} else {
		s.match = b.PrefixMatch(config.ApproxPrefixCacheProducerType)
	}
	if !told || s.match == nil {
		s.match = &scheduler.PrefixMatch{Blocks: make([]int, b.Endpoints)}
	}
	s.selection = headroomSelection{
		predictedLatencyScorerParameters: parameters,
		at:                               at,
		prediction:                       s.prediction,
		match:                            s.match,
		running:                          func(e int) int { return s.tpots[e].count },
		random:                           stats.NewStream(b.Seed, "epp/"+p.Name+"/selection"),
	}
	return s
}

// scraped is the load of an endpoint as versions know it that do not count tokens: of
// what waits there only the number of requests.
func (s *predictedSelection) scraped(c *scheduler.Cycle, e int) endpointLoad {
	waiting := c.Scrapes[e].Waiting
	load := endpointLoad{requests: int64(waiting + c.Scrapes[e].Running), waiting: waiting, kvUsage: c.Scrapes[e].KVUsage}
	if s.prompts > 0 {
		load.tokens = int64(waiting) * s.promptTokens / s.prompts
	}
	return load
}

func (s *predictedSelection) Produce(c *scheduler.Cycle) {
	if s.ahead && s.predicts {
		s.predictAll(c)
	} else {
		s.forget(c)
	}
}

func (s *predictedSelection) predictAll(c *scheduler.Cycle) {
	if s.predictedFor != c.Number {
		s.predictedFor = c.Number
		s.predictedLatency.Produce(c)
	}
}

// Admits implements [scheduler.Admitter].
func (s *predictedSelection) Admits(c *scheduler.Cycle) bool {
	return c.Priority >= 0 || !s.ahead || !s.predicts || s.models == nil || s.servable(c)
}

// servable reports whether some endpoint may serve the request as it was promised.
func (s *predictedSelection) servable(c *scheduler.Cycle) bool {
	if c.TTFTMs <= 0 || c.TPOTMs <= 0 && s.StreamingMode {
		return true
	}
	for e := range c.Scrapes {
		switch {
		case c.Gone(e):
		case s.prediction.Meets(e), s.tpots[e].count == 0, c.Scrapes[e].KVUsage < coldKVUsage:
			return true
		case s.selection.AffinityGateTauGlobal > 0 && s.selection.share(e) >= s.selection.AffinityGateTauGlobal:
			return true
		}
	}
	return false
}

func (s *predictedSelection) Score(c *scheduler.Cycle, candidates []int, w scheduler.Weight, scores []float64) {
	if s.predicts {
		s.predictAll(c)
	}
	var chosen int
	if s.knows(candidates) {
		chosen = s.selection.choose(c, candidates)
	} else {
		chosen = s.selection.byComposite(c, candidates, false)
	}
	for i, e := range candidates {
		if scores[i] = w.Of(0); e == chosen {
			scores[i] = w.Of(1)
		}
	}
}

// knows reports whether something is predicted for all candidates.
func (s *predictedSelection) knows(candidates []int) bool {
	for _, e := range candidates {
		if !s.predicts || !s.prediction.Known[e] {
			return false
		}
	}
	return true
}

func (s *predictedSelection) Routed(c *scheduler.Cycle, p scheduler.Picks) {
	s.predictedLatency.Routed(c, p)
	s.prompts++
	s.promptTokens += int64(c.Tokens)
}
