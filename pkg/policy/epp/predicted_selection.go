// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"math"

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

func newPredictedSelection(b *builder, p *plugin) *predictedSelection {
	parameters := p.Parameters.(*predictedLatencyScorerParameters)
	at := b.dialect.framework
	told := at >= gie15 || b.prepares
	s := &predictedSelection{
		predictedLatency: newPredictedLatency(b, p.Name, &predictedLatencyParameters{
			SLOBufferFactor:             parameters.SLOBufferFactor,
			ContextTTL:                  parameters.ContextTTL,
			StreamingMode:               parameters.StreamingMode,
			PredictInProduce:            true,
			PrefixMatchInfoProducerName: p.Name,
			InFlightLoadProducerName:    p.Name,
		}),
		predicts: at < gie14 || told,
		ahead:    at >= gie14,
	}
	if at < gie14 || s.ContextTTL <= 0 {
		s.ContextTTL = math.MaxInt64 / 2
	}
	s.untold = !told
	if at < gie15 {
		s.loadOf = s.scraped
		s.match, _ = attachedMatch(b)
	} else {
		s.match = b.prefixMatch(approxPrefixCacheProducerType)
	}
	if !told || s.match == nil {
		s.match = &prefixMatch{blocks: make([]int, b.Endpoints)}
	}
	s.selection = headroomSelection{
		predictedLatencyScorerParameters: parameters,
		at:                               at,
		prediction:                       s.prediction,
		match:                            s.match,
		running:                          func(e int) int { return s.tpots[e].count },
		random:                           stats.NewStream(b.seed, "epp/"+p.Name+"/selection"),
	}
	return s
}

// scraped is the load of an endpoint as versions know it that do not count tokens: of
// what waits there only the number of requests.
func (s *predictedSelection) scraped(c *cycle, e int) endpointLoad {
	waiting := c.scrapes[e].Waiting
	load := endpointLoad{requests: int64(waiting + c.scrapes[e].Running), waiting: waiting, kvUsage: c.scrapes[e].KVUsage}
	if s.prompts > 0 {
		load.tokens = int64(waiting) * s.promptTokens / s.prompts
	}
	return load
}

func (s *predictedSelection) produce(c *cycle) {
	if s.ahead && s.predicts {
		s.predictAll(c)
	} else {
		s.forget(c)
	}
}

func (s *predictedSelection) predictAll(c *cycle) {
	if s.predictedFor != c.number {
		s.predictedFor = c.number
		s.predictedLatency.produce(c)
	}
}

// admits implements [admitter].
func (s *predictedSelection) admits(c *cycle) bool {
	return c.priority >= 0 || !s.ahead || !s.predicts || s.models == nil || s.servable(c)
}

// servable reports whether some endpoint may serve the request as it was promised.
func (s *predictedSelection) servable(c *cycle) bool {
	if c.ttftMs <= 0 || c.tpotMs <= 0 && s.StreamingMode {
		return true
	}
	for e := range c.scrapes {
		switch {
		case c.gone(e):
		case s.prediction.meets(e), s.tpots[e].count == 0, c.scrapes[e].KVUsage < coldKVUsage:
			return true
		case s.selection.AffinityGateTauGlobal > 0 && s.selection.share(e) >= s.selection.AffinityGateTauGlobal:
			return true
		}
	}
	return false
}

func (s *predictedSelection) score(c *cycle, candidates []int, w weight, scores []float64) {
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
		if scores[i] = w.of(0); e == chosen {
			scores[i] = w.of(1)
		}
	}
}

// knows reports whether something is predicted for all candidates.
func (s *predictedSelection) knows(candidates []int) bool {
	for _, e := range candidates {
		if !s.predicts || !s.prediction.known[e] {
			return false
		}
	}
	return true
}

func (s *predictedSelection) routed(c *cycle, p picks) {
	s.predictedLatency.routed(c, p)
	s.prompts++
	s.promptTokens += int64(c.tokens)
}
