// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// predictedLatency is what a predicted-latency-producer does: it asks each
// endpoint's model how long the request would take there, and counts the
// requests that were sent to each.
type predictedLatency struct {
	*predictedLatencyParameters
	config.PredictionModel
	models     []config.LatencyModel // by endpoint
	prediction *scheduler.LatencyPrediction
	match      *scheduler.PrefixMatch
	load       *scheduler.InFlightLoad
	past       *loadHistory // nil where there is no lag
	// loadOf is what is known of an endpoint's load.
	loadOf func(c *scheduler.Cycle, e int) endpointLoad
	// queue counts where no producer does; nil where one does.
	queue *promptQueue
	// objectivesUnknown is whether it is not told what requests state: all objectives are 0.
	objectivesUnknown bool
	// prefills says of each endpoint whether its role is to compute prompts only.
	prefills []bool
	noise    uint64

	running *scheduler.Ledger[predictedRun]
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
	// expiresAt is when it is forgotten unless it is answered.
	expiresAt int64
}

// newPredictedLatency returns what an instance of that name predicts.
func newPredictedLatency(b *scheduler.Builder, name string, parameters *predictedLatencyParameters) *predictedLatency {
	l := &predictedLatency{
		predictedLatencyParameters: parameters,
		PredictionModel:            b.Prediction,
		models:                     b.Latencies,
		prediction:                 b.PredictionOf(name),
		match:                      b.PrefixMatch(parameters.PrefixMatchInfoProducerName),
		load:                       b.Load(parameters.InFlightLoadProducerName),
		prefills:                   make([]bool, b.Endpoints),
		noise:                      stats.Hash64(uint64(b.Seed), stats.HashString("epp/"+name)),
		running:                    scheduler.NewLedger[predictedRun](),
		tpots:                      make([]tpotObjectives, b.Endpoints),
		rates:                      make([]tokenRate, b.Endpoints),
	}
	l.loadOf = l.counted
	if b.Dialect.Framework < version.Router09 {
		l.queue, l.loadOf = newPromptQueue(b.Endpoints), l.tracked
	}
	if b.Prediction.Lag > 0 {
		l.past = newLoadHistory(b.Prediction.Lag, b.Endpoints)
	}
	for e := range l.prefills {
		l.prefills[e] = parameters.EndpointRoleLabel != "" && b.LabelsOf(e)[parameters.EndpointRoleLabel] == config.PrefillProfile
	}
	return l
}

func (l *predictedLatency) Produce(c *scheduler.Cycle) {
	l.forget(c)
	if !l.PredictInProduce || l.models == nil {
		return
	}
	if l.past != nil {
		l.past.note(c.Now, func(e int) endpointLoad { return l.loadOf(c, e) })
	}
	for e := range l.models {
		if l.prediction.Known[e] = !c.Gone(e); l.prediction.Known[e] {
			l.predict(c, e)
		}
	}
}

// predict says what the request's latencies on an endpoint would be, and what
// they leave of its objectives.
func (l *predictedLatency) predict(c *scheduler.Cycle, e int) {
	features := l.features(c, e)
	next := scheduler.Milliseconds(l.models[e].NextToken(features))
	first := scheduler.Milliseconds(l.models[e].FirstToken(features))
	if !l.StreamingMode && l.AnswerTokens > 1 {
		first += float64((l.AnswerTokens - 1) * next)
	}
	p, ttft := l.prediction, c.TTFTMs
	if l.objectivesUnknown {
		ttft = 0
	}
	p.Ttft[e], p.Tpot[e] = first*l.distortion(c, e, 0), next*l.distortion(c, e, 1)
	p.TtftHeadroom[e], p.TtftValid[e] = ttft-p.Ttft[e], p.Ttft[e] < ttft
	p.TpotHeadroom[e], p.TpotValid[e] = 0, true
	if l.StreamingMode && !l.prefills[e] {
		objective := l.tpotObjective(c, e)
		p.TpotHeadroom[e], p.TpotValid[e] = objective-p.Tpot[e], p.Tpot[e] < objective
	}
	p.Dispatched[e] = l.tpots[e].count
}

// tpotObjective is the request's, or the strictest one of those that run on the
// endpoint, times sloBufferFactor. One request that states none relaxes all.
func (l *predictedLatency) tpotObjective(c *scheduler.Cycle, e int) float64 {
	objective := l.statedTPOT(c) * l.SLOBufferFactor
	if strictest := l.tpots[e].least(); strictest > 0 {
		objective = min(objective, strictest*l.SLOBufferFactor)
	}
	return objective
}

// statedTPOT is what the request is known to state.
func (l *predictedLatency) statedTPOT(c *scheduler.Cycle) float64 {
	if l.objectivesUnknown {
		return 0
	}
	return c.TPOTMs
}

func (l *predictedLatency) features(c *scheduler.Cycle, e int) config.LatencyFeatures {
	load := endpointLoad{}
	if l.past != nil {
		load = l.past.before(e)
	} else {
		load = l.loadOf(c, e)
	}
	return config.LatencyFeatures{
		PromptTokens:    c.Tokens,
		CachedTokens:    l.cached(c, e),
		QueuedTokens:    load.tokens,
		TokensPerSecond: l.rates[e].Of(c.Now),
		InFlight:        int(load.requests),
		Waiting:         load.waiting,
		KVUsage:         load.kvUsage,
	}
}

// cached is the matched share of the prompt, in tokens.
func (l *predictedLatency) cached(c *scheduler.Cycle, e int) int {
	if l.match.TotalBlocks == 0 {
		return 0
	}
	share := float64(l.match.Blocks[e]) / float64(l.match.TotalBlocks)
	return int(min(share, 1) * float64(c.Tokens))
}

// counted is the load that the in-flight counts and the last scrape say.
func (l *predictedLatency) counted(c *scheduler.Cycle, e int) endpointLoad {
	return endpointLoad{l.load.Tokens[e], l.load.Requests[e], c.Scrapes[e].Waiting, c.Scrapes[e].KVUsage}
}

// tracked is the load of an endpoint by counts of its own.
func (l *predictedLatency) tracked(c *scheduler.Cycle, e int) endpointLoad {
	return endpointLoad{l.queue.tokens[e], int64(l.tpots[e].count), c.Scrapes[e].Waiting, c.Scrapes[e].KVUsage}
}

// distortion is what a prediction is off by: evenly between 1 − 2·Error and
// 1 + 2·Error, so that it is off by Error on average.
func (l *predictedLatency) distortion(c *scheduler.Cycle, e int, which uint64) float64 {
	if l.Error == 0 {
		return 1
	}
	draw := stats.Hash64(l.noise, uint64(c.Request), uint64(e), which)
	return 1 + float64(l.Error*(float64(4*(float64(draw>>11)*0x1p-53))-2))
}

// Routed counts the request for the endpoint of the primary profile.
func (l *predictedLatency) Routed(c *scheduler.Cycle, p scheduler.Picks) {
	run := predictedRun{endpoint: int32(p.Primary), tpotMs: l.statedTPOT(c), expiresAt: int64(c.Now) + l.ContextTTL}
	l.running.Put(c.Request, run)
	l.tpots[p.Primary].Add(run.tpotMs)
	l.waits.Add(c.Request, run.expiresAt)
	computes := p.Primary
	if p.Prefill != scheduler.None {
		computes = p.Prefill
	}
	uncached := c.Tokens - l.cached(c, computes)
	l.rates[computes].Add(c.Now, float64(uncached))
	if l.queue != nil {
		l.queue.Add(c.Request, computes, int64(uncached))
	}
}

func (l *predictedLatency) FirstToken(request *policy.Request, _ int) {
	if run := l.running.Of(request.ID); run != nil {
		run.answered = true
	}
	if l.queue != nil {
		l.queue.Remove(request.ID)
	}
}

func (l *predictedLatency) Finished(request *policy.Request, _ int) { l.drop(request.ID) }

func (l *predictedLatency) drop(request int) {
	if l.queue != nil {
		l.queue.Remove(request)
	}
	if run, ok := l.running.Remove(request); ok {
		l.tpots[run.endpoint].Remove(run.tpotMs)
	}
}

// forget drops the requests that have waited contextTTL for their first token.
func (l *predictedLatency) forget(c *scheduler.Cycle) {
	for {
		request, forgetAt, ok := l.waits.next(int64(c.Now))
		if !ok {
			return
		}
		if run := l.running.Of(request); run != nil && !run.answered && run.expiresAt == forgetAt {
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
	request   int
	expiresAt int64
}

func (w *firstTokenWaits) Add(request int, forgetAt int64) {
	if w.done > len(w.all)/2 {
		w.all, w.done = w.all[:copy(w.all, w.all[w.done:])], 0
	}
	w.all = append(w.all, firstTokenWait{request, forgetAt})
}

// next takes one out whose time has come.
func (w *firstTokenWaits) next(now int64) (request int, forgetAt int64, ok bool) {
	if w.done == len(w.all) || w.all[w.done].expiresAt > now {
		return 0, 0, false
	}
	w.done++
	return w.all[w.done-1].request, w.all[w.done-1].expiresAt, true
}

func (*predictedLatency) ReadsMatches() {}
