// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// predictedLatency is what a predicted-latency-producer does: it asks each
// endpoint's model how long the request would take there, and counts what it
// was told was sent where.
type predictedLatency struct {
	*predictedLatencyParameters
	PredictionModel
	models     []LatencyModel // by endpoint
	prediction *latencyPrediction
	match      *prefixMatch
	load       *inFlightLoad
	past       *loadHistory // nil where there is no lag
	// loadOf is what is known of an endpoint's load.
	loadOf func(c *cycle, e int) endpointLoad
	// queue counts where no producer does; nil where one does.
	queue *promptQueue
	// untold is whether it is not told what requests state: all objectives are 0.
	untold bool
	// prefills says of each endpoint whether its role is to compute prompts only.
	prefills []bool
	noise    uint64

	running *ledger[predictedRun]
	waits   firstTokenWaits
	tpots   []tpotObjectives // by endpoint, of what runs there
	rates   []tokenRate      // by endpoint, of what is to be computed there
}

// A predictedRun is a request that was sent to an endpoint.
type predictedRun struct {
	endpoint int32
	// answered is whether its first token has come.
	answered bool
	tpotMs   float64
	// forgetAt is when it is forgotten unless it is answered.
	forgetAt int64
}

// newPredictedLatency returns what an instance of that name predicts.
func newPredictedLatency(b *builder, name string, parameters *predictedLatencyParameters) *predictedLatency {
	l := &predictedLatency{
		predictedLatencyParameters: parameters,
		PredictionModel:            b.Prediction,
		models:                     b.Latencies,
		prediction:                 b.prediction(name),
		match:                      b.prefixMatch(parameters.PrefixMatchInfoProducerName),
		load:                       b.load(parameters.InFlightLoadProducerName),
		prefills:                   make([]bool, b.Endpoints),
		noise:                      stats.Hash64(uint64(b.seed), stats.HashString("epp/"+name)),
		running:                    newLedger[predictedRun](),
		tpots:                      make([]tpotObjectives, b.Endpoints),
		rates:                      make([]tokenRate, b.Endpoints),
	}
	l.loadOf = l.counted
	if b.dialect.framework < router09 {
		l.queue, l.loadOf = newPromptQueue(b.Endpoints), l.tracked
	}
	if b.Prediction.Lag > 0 {
		l.past = newLoadHistory(b.Prediction.Lag, b.Endpoints)
	}
	for e := range l.prefills {
		l.prefills[e] = parameters.EndpointRoleLabel != "" && b.labelsOf(e)[parameters.EndpointRoleLabel] == prefillProfile
	}
	return l
}

func (l *predictedLatency) produce(c *cycle) {
	l.forget(c)
	if !l.PredictInProduce || l.models == nil {
		return
	}
	if l.past != nil {
		l.past.note(c.now, func(e int) endpointLoad { return l.loadOf(c, e) })
	}
	for e := range l.models {
		if l.prediction.known[e] = !c.gone(e); l.prediction.known[e] {
			l.predict(c, e)
		}
	}
}

// predict says what the request's latencies on an endpoint would be, and what
// they leave of its objectives.
func (l *predictedLatency) predict(c *cycle, e int) {
	features := l.features(c, e)
	next := inMilliseconds(l.models[e].NextToken(features))
	first := inMilliseconds(l.models[e].FirstToken(features))
	if !l.StreamingMode && l.AnswerTokens > 1 {
		first += float64((l.AnswerTokens - 1) * next)
	}
	p, ttft := l.prediction, c.ttftMs
	if l.untold {
		ttft = 0
	}
	p.ttft[e], p.tpot[e] = first*l.distortion(c, e, 0), next*l.distortion(c, e, 1)
	p.ttftHeadroom[e], p.ttftValid[e] = ttft-p.ttft[e], p.ttft[e] < ttft
	p.tpotHeadroom[e], p.tpotValid[e] = 0, true
	if l.StreamingMode && !l.prefills[e] {
		objective := l.tpotObjective(c, e)
		p.tpotHeadroom[e], p.tpotValid[e] = objective-p.tpot[e], p.tpot[e] < objective
	}
	p.dispatched[e] = l.tpots[e].count
}

// tpotObjective is the request's, or the strictest one of those that run on the
// endpoint, times sloBufferFactor. One request that states none relaxes all.
func (l *predictedLatency) tpotObjective(c *cycle, e int) float64 {
	objective := l.statedTPOT(c) * l.SLOBufferFactor
	if strictest := l.tpots[e].least(); strictest > 0 {
		objective = min(objective, strictest*l.SLOBufferFactor)
	}
	return objective
}

// statedTPOT is what the request is known to state.
func (l *predictedLatency) statedTPOT(c *cycle) float64 {
	if l.untold {
		return 0
	}
	return c.tpotMs
}

func (l *predictedLatency) features(c *cycle, e int) LatencyFeatures {
	load := endpointLoad{}
	if l.past != nil {
		load = l.past.before(e)
	} else {
		load = l.loadOf(c, e)
	}
	return LatencyFeatures{
		PromptTokens:    c.tokens,
		CachedTokens:    l.cached(c, e),
		QueuedTokens:    load.tokens,
		TokensPerSecond: l.rates[e].of(c.now),
		InFlight:        int(load.requests),
		Waiting:         load.waiting,
		KVUsage:         load.kvUsage,
	}
}

// cached is the matched share of the prompt, in tokens.
func (l *predictedLatency) cached(c *cycle, e int) int {
	if l.match.totalBlocks == 0 {
		return 0
	}
	share := float64(l.match.blocks[e]) / float64(l.match.totalBlocks)
	return int(min(share, 1) * float64(c.tokens))
}

// counted is the load that the in-flight counts and the last scrape say.
func (l *predictedLatency) counted(c *cycle, e int) endpointLoad {
	return endpointLoad{l.load.tokens[e], l.load.requests[e], c.scrapes[e].Waiting, c.scrapes[e].KVUsage}
}

// tracked is the load of an endpoint by counts of its own.
func (l *predictedLatency) tracked(c *cycle, e int) endpointLoad {
	return endpointLoad{l.queue.tokens[e], int64(l.tpots[e].count), c.scrapes[e].Waiting, c.scrapes[e].KVUsage}
}

// distortion is what a prediction is off by: evenly between 1 − 2·Error and
// 1 + 2·Error, so that it is off by Error on average.
func (l *predictedLatency) distortion(c *cycle, e int, which uint64) float64 {
	if l.Error == 0 {
		return 1
	}
	draw := stats.Hash64(l.noise, uint64(c.request), uint64(e), which)
	return 1 + float64(l.Error*(float64(4*(float64(draw>>11)*0x1p-53))-2))
}

// routed counts the request for the endpoint of the primary profile.
func (l *predictedLatency) routed(c *cycle, p picks) {
	run := predictedRun{endpoint: int32(p.primary), tpotMs: l.statedTPOT(c), forgetAt: int64(c.now) + l.ContextTTL}
	l.running.put(c.request, run)
	l.tpots[p.primary].add(run.tpotMs)
	l.waits.add(c.request, run.forgetAt)
	computes := p.primary
	if p.prefill != none {
		computes = p.prefill
	}
	uncached := c.tokens - l.cached(c, computes)
	l.rates[computes].add(c.now, float64(uncached))
	if l.queue != nil {
		l.queue.add(c.request, computes, int64(uncached))
	}
}

func (l *predictedLatency) firstToken(request *policy.Request, _ int) {
	if run := l.running.of(request.ID); run != nil {
		run.answered = true
	}
	if l.queue != nil {
		l.queue.remove(request.ID)
	}
}

func (l *predictedLatency) finished(request *policy.Request, _ int) { l.drop(request.ID) }

func (l *predictedLatency) drop(request int) {
	if l.queue != nil {
		l.queue.remove(request)
	}
	if run, ok := l.running.remove(request); ok {
		l.tpots[run.endpoint].remove(run.tpotMs)
	}
}

// forget drops the requests that have waited contextTTL for their first token.
func (l *predictedLatency) forget(c *cycle) {
	for {
		request, forgetAt, ok := l.waits.next(int64(c.now))
		if !ok {
			return
		}
		if run := l.running.of(request); run != nil && !run.answered && run.forgetAt == forgetAt {
			l.drop(request)
		}
	}
}

// firstTokenWaits are requests in the order in which they are forgotten.
type firstTokenWaits struct {
	all  []firstTokenWait
	done int
}

type firstTokenWait struct {
	request  int
	forgetAt int64
}

func (w *firstTokenWaits) add(request int, forgetAt int64) {
	if w.done > len(w.all)/2 {
		w.all, w.done = w.all[:copy(w.all, w.all[w.done:])], 0
	}
	w.all = append(w.all, firstTokenWait{request, forgetAt})
}

// next takes one out whose time has come.
func (w *firstTokenWaits) next(now int64) (request int, forgetAt int64, ok bool) {
	if w.done == len(w.all) || w.all[w.done].forgetAt > now {
		return 0, 0, false
	}
	w.done++
	return w.all[w.done-1].request, w.all[w.done-1].forgetAt, true
}

func (*predictedLatency) readsMatches() {}
