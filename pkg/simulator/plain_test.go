// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/kv/kvtest"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// plain is the simulator as one would tell it: one event after the other in the
// order of time for the whole cluster, every scrape taken, every step a walk
// over its batch, every block on its own. It is the oracle of the simulator
// that is fast. It shares the books with it (metrics, use), the record of a request and
// the draw of the scrapes' phases, which have tests of their own.
type plain struct {
	Config
	now      simtime.Time
	events   []plainEvent
	replicas []*plainReplica
	view     policy.View
	metrics  metrics

	next              workload.Request
	arrived, inFlight int
	closed            bool
	flying            []*plainRequest // in flight, in order of arrival
}

type plainKind int

const (
	plainWarmUpEnd plainKind = iota
	plainHorizon
	plainArrival
	plainEntry
	plainStepEnd
	plainWake
	plainDelivery
	plainDrainEnd
)

// plainEvent happens at a time; events of one nanosecond in order of kind, of
// their request's or replica's number, and a first token before an end.
type plainEvent struct {
	at      simtime.Time
	kind    plainKind
	number  int
	ends    bool
	replica *plainReplica
	request *plainRequest
}

func (e plainEvent) before(f plainEvent) bool {
	switch {
	case e.at != f.at:
		return e.at < f.at
	case e.kind != f.kind:
		return e.kind < f.kind
	case e.number != f.number:
		return e.number < f.number
	default:
		return !e.ends && f.ends
	}
}

type plainRequest struct {
	request
	sequence   *kvtest.Sequence
	identities []uint64
	last       simtime.Time // when its last token reaches the gateway
}

type plainReplica struct {
	*Pool
	pool, index       int
	scheduler         scheduling.Policy
	cache             *kvtest.Cache
	waiting, running  []*plainRequest
	turns             int64
	stepping, waking  bool
	stepStart         simtime.Time
	scrape            simtime.Time // the next one
	use               use
	evictedAtRestart  int64
	preemptedThisStep bool
	plainWatch
}

func runPlain(c Config) *Outcome {
	p := &plain{Config: c}
	if p.ScrapeInterval == 0 {
		p.ScrapeInterval = DefaultScrapeInterval
	}
	labels := c.Source.Labels()
	p.metrics = newMetrics(c.Targets, c.Horizon.WarmUp, len(c.Pools), len(labels.Tenants), len(labels.Classes))
	var names []string
	for i := range c.Pools {
		names = append(names, c.Pools[i].Name)
		for range c.Pools[i].Replicas {
			p.addReplica(&c.Pools[i], i)
		}
	}
	if c.Horizon.WarmUp > 0 {
		p.schedule(plainEvent{at: simtime.Time(c.Horizon.WarmUp), kind: plainWarmUpEnd})
	}
	p.pull()
	for !p.closed || p.inFlight > 0 {
		p.handle(p.earliest())
	}
	o := &Outcome{Labels: labels, Pools: names, Cells: p.metrics.report(), Measured: p.metrics.span(), End: p.now}
	for _, r := range p.replicas {
		o.Replicas = append(o.Replicas, p.report(r))
	}
	return o
}

func (p *plain) addReplica(pool *Pool, index int) {
	r := &plainReplica{
		Pool: pool, pool: index, index: len(p.replicas),
		cache:     kvtest.New(pool.KVBlocks, pool.BlockTokens, pool.PrefixCaching),
		scheduler: pool.Scheduler,
		scrape:    scrapePhase(p.Seed, len(p.replicas), int64(p.ScrapeInterval)),
	}
	r.watch(pool.Stability)
	if r.scheduler == nil {
		r.scheduler = scheduling.FCFS{}
	}
	p.replicas = append(p.replicas, r)
	p.view.Scrapes = append(p.view.Scrapes, r.scraped(0))
}

func (r *plainReplica) scraped(at simtime.Time) policy.Scrape {
	return policy.Scrape{
		At: at, Waiting: len(r.waiting), Running: len(r.running),
		KVUsage:     float64(r.cache.Used()) / float64(r.KVBlocks),
		BlockTokens: r.BlockTokens, Blocks: cmp.Or(r.ReportedBlocks, r.KVBlocks),
	}
}

func (p *plain) report(r *plainReplica) ReplicaUse {
	r.use.settle(p.now, r.cache.Used())
	busy := r.use.Busy
	if r.stepping {
		busy += p.now.Sub(max(r.stepStart, r.use.since))
	}
	u := ReplicaUse{
		Pool: r.pool, Busy: busy, Steps: r.use.Steps, Served: r.use.Served,
		PeakKV:      float64(r.use.peakUsed) / float64(r.KVBlocks),
		Preemptions: r.use.Preemptions, Evictions: r.cache.Evictions - r.evictedAtRestart,
		Stability: r.known,
	}
	if span := p.now.Sub(r.use.since); span > 0 {
		integral := float64(float64(r.use.high)*(1<<64)) + float64(r.use.low)
		u.MeanKV = integral / float64(span) / float64(r.KVBlocks)
	}
	return u
}

func (p *plain) schedule(e plainEvent) { p.events = append(p.events, e) }

// earliest takes the earliest event and takes every scrape until then.
func (p *plain) earliest() plainEvent {
	at := 0
	for i := range p.events {
		if p.events[i].before(p.events[at]) {
			at = i
		}
	}
	e := p.events[at]
	p.events = slices.Delete(p.events, at, at+1)
	for _, r := range p.replicas {
		for ; !p.closed && r.scrape <= e.at; r.scrape = r.scrape.Add(p.ScrapeInterval) {
			p.view.Scrapes[r.index] = r.scraped(r.scrape)
		}
	}
	p.now = e.at
	return e
}

func (p *plain) handle(e plainEvent) {
	switch e.kind {
	case plainWarmUpEnd:
		for _, r := range p.replicas {
			r.use = use{since: p.now, settled: p.now, peakUsed: r.cache.Used()}
			r.evictedAtRestart = r.cache.Evictions
		}
	case plainHorizon:
		p.closed = true
		p.noteStability()
		deadline := p.now.Add(p.Horizon.Drain)
		if deadline < p.now {
			deadline = simtime.Never
		}
		p.schedule(plainEvent{at: deadline, kind: plainDrainEnd})
	case plainArrival:
		p.arrive()
	case plainEntry:
		p.enter(e.replica, e.request)
	case plainStepEnd:
		p.endStep(e.replica)
	case plainWake:
		e.replica.waking = false
		p.startStep(e.replica)
	case plainDelivery:
		p.deliver(e)
	case plainDrainEnd:
		for _, q := range p.flying {
			p.metrics.unfinished(p.now, &q.request)
		}
		p.inFlight = 0
	}
}

func (p *plain) pull() {
	closing := plainEvent{at: p.now, kind: plainHorizon}
	if p.Horizon.Requests > 0 && p.arrived == p.Horizon.Requests {
		p.schedule(closing)
		return
	}
	next, ok := p.Source.Next()
	if end := simtime.Time(p.Horizon.Duration); ok && end > 0 && next.Arrival >= end {
		closing.at, ok = end, false
	}
	if !ok {
		p.schedule(closing)
		return
	}
	p.next = next
	p.schedule(plainEvent{at: next.Arrival, kind: plainArrival})
}

func (p *plain) arrive() {
	w := p.next
	p.arrived++
	q := &plainRequest{}
	q.info = policy.Request{
		ID: w.ID, Arrival: w.Arrival, Prompt: w.Prompt, Tokens: w.Prompt.Tokens(),
		Tenant: w.Tenant, Class: w.Class, Priority: w.Priority,
	}
	q.firstToken, q.lastToken = unset, unset
	p.send(q, &w)
	p.pull()
}

func (p *plain) send(q *plainRequest, w *workload.Request) {
	p.view.Now = p.now
	decision, err := p.Router.Route(&p.view, &q.info)
	endpoint := decision.Endpoint
	if errors.Is(err, policy.ErrNoEndpoint) {
		reason := NoEndpoint
		if errors.Is(err, policy.ErrShed) {
			reason = Shed
		}
		p.metrics.rejected(p.now, NoPool, &q.info, reason)
		return
	}
	r := p.replicas[endpoint]
	output := max(w.OutputTokens, 1)
	reason, never := r.refuses(q.info.Tokens, q.info.Tokens+output)
	if !never && !p.letsIn(r, q.info.Tokens) {
		reason, never = NoRoom, true
	}
	if never {
		p.metrics.rejected(p.now, r.pool, &q.info, reason)
		if l := p.Router.Listener(); l != nil {
			l.Finished(&q.info, endpoint)
		}
		return
	}
	q.replica, q.prompt = int32(endpoint), int32(q.info.Tokens)
	q.total, q.finish = q.prompt, q.prompt+int32(output)
	q.cell = p.metrics.arrived(p.now, r.pool, &q.info)
	text := w.Prompt.Append(prompt.Extent{Source: w.Response, Start: w.ResponseStart, Tokens: int32(output)})
	q.identities = text.FullBlocks(nil, r.BlockTokens)
	p.inFlight++
	p.flying = append(p.flying, q)
	delay := r.Cost.QueueBase + time.Duration(q.prompt)*r.Cost.QueuePerInputToken
	if delay == 0 {
		p.enter(r, q)
		return
	}
	p.schedule(plainEvent{at: p.now.Add(delay), kind: plainEntry, number: q.info.ID, replica: r, request: q})
}

func (r *plainReplica) refuses(prompt, total int) (Reason, bool) {
	switch {
	case prompt == 0:
		return EmptyPrompt, true
	case r.MaxModelLen > 0 && total > r.MaxModelLen:
		return ExceedsModelLength, true
	case total-1 > r.KVBlocks*r.BlockTokens:
		return ExceedsKVCache, true
	}
	return 0, false
}

func (p *plain) enter(r *plainReplica, q *plainRequest) {
	r.tellArrival(p.now)
	q.entered = p.now
	q.turn = r.turns
	r.turns++
	r.wait(q)
	if !r.stepping && !r.waking {
		r.waking = true
		p.schedule(plainEvent{at: p.now, kind: plainWake, number: r.index, replica: r})
	}
}

func (r *plainReplica) rank(q *plainRequest) int64 {
	return r.scheduler.Rank(scheduling.Job{PromptTokens: int(q.prompt), Priority: q.info.Priority})
}

func (r *plainReplica) comesLater(q, o *plainRequest) bool {
	if r.rank(q) != r.rank(o) {
		return r.rank(q) > r.rank(o)
	}
	return q.turn > o.turn
}

// wait puts a request into the wait queue.
func (r *plainReplica) wait(q *plainRequest) {
	i := 0
	for i < len(r.waiting) && r.comesLater(q, r.waiting[i]) {
		i++
	}
	r.waiting = slices.Insert(r.waiting, i, q)
}

func (p *plain) startStep(r *plainReplica) {
	r.use.settle(p.now, r.cache.Used())
	step := p.formStep(r)
	for step.Sequences == 0 && r.preemptedThisStep {
		step = p.formStep(r)
	}
	r.use.peakUsed = max(r.use.peakUsed, r.cache.Used())
	r.stepping = step.Sequences > 0
	if r.stepping {
		r.stepStart = p.now
		p.schedule(plainEvent{at: p.now.Add(r.Timer.StepTime(step)), kind: plainStepEnd, number: r.index, replica: r})
	}
}

// formStep is vLLM's scheduler: the running requests in order, then the waiting
// ones, within one budget of tokens.
func (p *plain) formStep(r *plainReplica) latency.Step {
	budget := int32(r.MaxNumBatchedTokens)
	r.preemptedThisStep = false
	for i := 0; i < len(r.running) && budget > 0; i++ {
		q := r.running[i]
		n := min(r.capped(q.total-q.computed), budget)
		gone := false
		for !gone && !r.cache.Extend(q.sequence, int(q.computed+n)) {
			victim := r.victim()
			at := slices.Index(r.running, victim)
			budget += victim.chunk
			p.preempt(r, victim)
			gone = victim == q
			if at < i {
				i--
			}
		}
		if gone {
			break
		}
		q.chunk = n
		budget -= n
	}
	for !r.preemptedThisStep && budget > 0 && len(r.running) < r.MaxNumSeqs && len(r.waiting) > 0 {
		q := r.waiting[0]
		cached := int32(r.cache.Match(q.identities, int(q.total-1)))
		n := min(r.capped(q.total-cached), budget)
		reserve := cached + n
		if r.ReserveFullPrompt {
			reserve = q.total
		}
		want := kvtest.Admission{
			Chain: q.identities, Cached: int(cached), Tokens: int(cached + n), Reserve: int(reserve), Priority: q.info.Priority,
		}
		evict, held := r.advice(p.now, want)
		if held {
			break
		}
		evictions := r.cache.Evictions
		sequence, ok := r.cache.Admit(want)
		if !ok {
			break
		}
		r.cache.Empty(evict - int(r.cache.Evictions-evictions))
		r.waiting = r.waiting[1:]
		r.running = append(r.running, q)
		q.sequence, q.computed, q.chunk, q.prefillEnd = sequence, cached, n, q.total
		budget -= n
		if !q.scheduled {
			q.scheduled, q.scheduledAt, q.cached = true, p.now, cached
			p.metrics.scheduled(p.now, &q.request)
		}
	}
	var step latency.Step
	for _, q := range r.running {
		if q.chunk > 0 {
			p.count(&step, q)
		}
	}
	return step
}

// count adds a request's chunk to the sums, token by token.
func (p *plain) count(step *latency.Step, q *plainRequest) {
	step.Sequences++
	decode := q.computed >= q.prefillEnd
	for token := q.computed + 1; token <= q.computed+q.chunk; token++ {
		step.AttentionPairs += int64(token)
		if decode {
			step.DecodeTokens++
			step.DecodePairs += int64(token)
			continue
		}
		step.PrefillTokens++
		// Σ over a chunk's tokens of what t·(2s + t) comes to.
		step.DoublePromptPairs += int64(2*q.prefillEnd + q.chunk)
	}
	step.ContextTokens += int64(q.computed + q.chunk)
	if q.computed+q.chunk == q.total {
		step.SampledTokens++
	}
}

func (r *plainReplica) capped(n int32) int32 {
	if r.LongPrefillTokens > 0 {
		return min(n, int32(r.LongPrefillTokens))
	}
	return n
}

func (r *plainReplica) victim() *plainRequest {
	worst := r.running[len(r.running)-1]
	if r.scheduler.PreemptsByRank() {
		for _, q := range r.running {
			if r.comesLater(q, worst) {
				worst = q
			}
		}
	}
	return worst
}

func (p *plain) preempt(r *plainReplica, q *plainRequest) {
	r.preemptedThisStep = true
	r.running = slices.DeleteFunc(r.running, func(o *plainRequest) bool { return o == q })
	r.cache.Release(q.sequence)
	q.high = max(q.high, q.computed)
	q.computed, q.chunk = 0, 0
	r.wait(q)
	r.use.Preemptions++
	p.metrics.cells[q.cell].Preemptions++
}

func (p *plain) endStep(r *plainReplica) {
	r.use.settle(p.now, r.cache.Used())
	r.use.stepped(r.stepStart, p.now)
	r.countStep(p.now.Sub(r.stepStart))
	r.stepping = false
	for _, q := range slices.Clone(r.running) {
		if q.chunk == 0 {
			continue
		}
		end := q.computed + q.chunk
		if q.computed < q.high {
			p.metrics.cells[q.cell].RecomputedTokens += int64(min(end, q.high) - q.computed)
		}
		q.computed, q.chunk = end, 0
		if end == q.total {
			p.token(r, q)
		}
	}
	p.startStep(r)
}

func (p *plain) token(r *plainReplica, q *plainRequest) {
	q.total++
	at := p.now.Add(time.Duration(q.generated()) * r.Cost.PerOutputToken)
	if q.lastToken == unset {
		q.firstToken = at
		p.metrics.firstToken(p.now, &q.request)
		p.schedule(plainEvent{at: at, kind: plainDelivery, number: q.info.ID, request: q})
	} else {
		p.metrics.tokens(p.now, q.cell, int64(p.now.Sub(q.lastToken)+r.Cost.PerOutputToken), 1)
	}
	q.lastToken = p.now
	if q.total < q.finish {
		return
	}
	q.last = at
	r.running = slices.DeleteFunc(r.running, func(o *plainRequest) bool { return o == q })
	r.tellCompletion(p.now, q)
	r.cache.Release(q.sequence)
	r.use.Served++
	p.schedule(plainEvent{at: at.Add(r.Cost.Completion), kind: plainDelivery, number: q.info.ID, ends: true, request: q})
}

func (p *plain) deliver(e plainEvent) {
	q, listener := e.request, p.Router.Listener()
	if !e.ends {
		if listener != nil {
			listener.FirstToken(&q.info, int(q.replica))
		}
		return
	}
	p.metrics.completed(q.last, p.now, &q.request)
	if listener != nil {
		listener.Finished(&q.info, int(q.replica))
	}
	p.flying = slices.DeleteFunc(p.flying, func(o *plainRequest) bool { return o == q })
	p.inFlight--
}
