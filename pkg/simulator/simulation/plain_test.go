// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"fmt"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/kv/kvtest"
	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/measure"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// plain is the simulator as one would tell it: one event after the other in the
// order of time for the whole cluster, every scrape taken, every step a walk
// over its batch, every block on its own. It is the oracle of the simulator
// that is fast. It shares the books with it (metrics, use), the record of a request and
// the draw of the scrapes' phases, which have tests of their own.
type plain struct {
	simulator.Config
	now      simtime.Time
	events   []plainEvent
	replicas []*plainReplica
	pools    []string
	view     policy.View
	metrics  measure.Metrics
	recorder *recorder // nil if nobody wants to know

	next              workload.Request
	arrived, inFlight int
	closed            bool
	handled           int
	// turns and scrapes count the requests and the endpoints by router.
	turns, scrapes map[int]int
	flying         []*plainRequest // in flight, in order of arrival
	telling        plainTelling
	series         plainSeries
	plainGate
	delayed []*plainRequest // that the admission makes wait
	plainScaling

	// forming are the ranks that form their steps in turn.
	forming []*plainReplica

	network   *transfer.Network
	transfers map[transfer.ID]*plainTransfer // in flight
}

// plainPatience is how many events a run has that ends.
const plainPatience = 100_000

type plainKind int

const (
	plainMonitor plainKind = iota
	plainWarmUpEnd
	plainDisruption
	plainNodeChange
	plainStageEnd
	plainTimeOut
	plainHorizon
	plainArrival
	plainDelayEnd
	plainRelease
	plainTick
	plainEntry
	plainTransferEnd
	plainStepEnd
	plainAdapterLoaded
	plainWake
	plainDelivery
	plainDrainEnd
)

// plainEvent happens at a time; events of one nanosecond in order of kind, of
// their request's, replica's or disruption's number, and a first token before an
// end.
type plainEvent struct {
	at      simtime.Time
	kind    plainKind
	number  int
	ends    bool
	replica *plainReplica
	request *plainRequest
}

func (e plainEvent) Before(f plainEvent) bool {
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
	request.Request
	sequence   *kvtest.Sequence // the blocks that it holds
	text       prompt.Prompt    // with the answer
	identities []uint64         // of the text's full blocks
	last       simtime.Time     // when its last token reaches the gateway
	moved      bool             // it was routed again, and the replica has not given a token
	charged    bool             // the prompt counts as served by the replica
	exported   bool             // the exports of the replica count it
	leaving    bool             // its last token is on the way
	accepted   bool             // some endpoint has had it
	awaiting   bool             // it waits for a replica to serve
	scheduled  bool             // some step has computed something of it
	timeout    time.Duration    // how long the client waits for it; 0 is without end

	tierTokens [simulator.TierKinds]int64
	adapterAt  *simtime.Time    // since when it waits for its adapter; nil if it does not
	loads      []*plainTransfer // that it waits for
	stores     []*plainTransfer // that its blocks are held for
	parting    func()           // frees them once there are no more such; nil while it needs them
	handoff    *plainHandoff    // under way, where this is the request or its job
	needed     plainNeeds
}

type plainReplica struct {
	*simulator.Pool
	pool, index       int
	lives             []simulator.Lifetime
	scheduler         scheduling.Scheduler
	cache             *kvtest.Cache
	unused            int // blocks for what the cache holds from before
	waiting, running  []*plainRequest
	loading           []*plainRequest // admitted, while their KV is on its way
	turns             int64
	stepping, waking  bool
	stepStart         simtime.Time
	held              bool         // a step is formed and waits for its beginning
	formed            latency.Step // that waits for the other ranks alone
	scrape            simtime.Time // the next one
	use               measure.Use
	evictedAtRestart  int64
	preemptedThisStep bool
	passedBy          []*plainRequest // by the admission under way
	// newcomers are those who came to the queue in the course of a step; barred says that
	// the step being formed is without them.
	newcomers []*plainRequest
	barred    bool
	plainQueueWatch
	plainWatch
	door    []*plainRequest // jobs of hand-overs to here that are kept out of their queues
	parting []*plainRequest // who leaves blocks that are still copied down
	// computing is what can be found of the step under way, and is not told of.
	computing []uint64
	ahead     []*plainAhead // in flight

	life     plainLife
	adapters []*plainAdapter // that it holds, the least recently used first
	plainExports

	tiers           []*plainTier
	toHost, toGPU   transfer.StationID
	egress, ingress transfer.StationID
	own             []transfer.StationID // of all stations, those of no other replica
}

func runPlain(c simulator.Config) *simulator.Result { return newPlain(c).run() }

func newPlain(c simulator.Config) *plain {
	p := &plain{Config: c, turns: map[int]int{}, scrapes: map[int]int{}, telling: newPlainTelling(c.Policies.Routing.KVEvents)}
	if p.ScrapeInterval == 0 {
		p.ScrapeInterval = simulator.DefaultScrapeInterval
	}
	labels := p.Source.Labels()
	p.metrics = measure.NewMetrics(c.Targets, c.TenantTargets, c.Horizon.WarmUp, c.Pools, labels)
	p.metrics.CountByRouter(&p.Config)
	p.follow()
	for i := range c.Pools {
		p.pools = append(p.pools, c.Pools[i].Name)
		for place := range max(c.Pools[i].Replicas, c.Pools[i].MaxReplicas) {
			p.addReplica(&c.Pools[i], i, place < c.Pools[i].Replicas)
		}
	}
	p.view.Traffic = p.Policies.Traffic
	p.showPresence()
	p.hideRanks()
	p.addStations()
	p.showAdapters()
	p.showEngines()
	p.startScaling()
	for i, d := range c.Disruptions {
		p.schedule(plainEvent{at: d.At, kind: plainDisruption, number: i})
	}
	if c.Horizon.WarmUp > 0 {
		p.schedule(plainEvent{at: simtime.Time(c.Horizon.WarmUp), kind: plainWarmUpEnd})
	}
	return p
}

func (p *plain) run() *simulator.Result {
	p.pull()
	for !p.closed || p.inFlight > 0 || p.earliest().at == p.now {
		if p.handled++; p.handled > plainPatience {
			panic(fmt.Sprintf("at %v: %d requests go in circles", p.now, len(p.flying)))
		}
		p.handle(p.take(p.earliest()))
		p.tellAll()
		p.dropTimeOuts()
		p.listen()
	}
	o := &simulator.Result{Labels: p.Source.Labels(), Pools: p.pools, Cells: p.metrics.Report(), Measured: p.metrics.Span(), End: p.now, Decisions: p.metrics.Decisions.Decisions}
	for _, r := range p.replicas {
		o.Replicas = append(o.Replicas, p.report(r))
	}
	p.checkLeaks()
	o.Series = p.reportSeries()
	p.reportUnits(o)
	return o
}

// checkProgress panics where somebody waits and nothing is under way.
func (p *plain) checkProgress() {
	moving := len(p.transfers)
	for _, e := range p.events {
		if e.kind != plainDisruption {
			moving++
		}
	}
	if len(p.flying) > 0 && moving == 0 {
		panic(fmt.Sprintf("at %v: %d requests wait for ever", p.now, len(p.flying)))
	}
}

// checkLeaks panics where nobody is left and yet somebody holds blocks.
func (p *plain) checkLeaks() {
	for _, r := range p.replicas {
		if len(p.flying)+len(p.transfers) == 0 && r.cache.Used() > 0 {
			panic(fmt.Sprintf("replica %d: %d blocks in use at the end", r.index, r.cache.Used()))
		}
	}
}

func (p *plain) addReplica(pool *simulator.Pool, index int, present bool) {
	r := &plainReplica{
		Pool: pool, pool: index, index: len(p.replicas),
		cache: newPlainCache(pool), unused: pool.KVBlocks,
		scheduler: plainScheduler(pool),
		scrape:    p.firstScrape(pool),
	}
	p.scrapes[pool.Router]++
	if pool.Live {
		r.scrape = simtime.Never
	}
	r.watch(pool.Stability, 0)
	if present {
		r.lives = []simulator.Lifetime{{To: simtime.Never}}
	}
	p.replicas = append(p.replicas, r)
	p.view.Scrapes = append(p.view.Scrapes, p.scraped(r, 0))
}

func newPlainCache(pool *simulator.Pool) *kvtest.Cache {
	cache := kvtest.NewCache(pool.KVBlocks, pool.BlockTokens, pool.PrefixCaching, kvtest.Order(pool.Eviction))
	cache.Groups, cache.WindowBlocks = pool.Windows.Groups, pool.Windows.Blocks
	return cache
}

func (p *plain) report(r *plainReplica) simulator.ReplicaUse {
	r.use.Settle(p.now, r.cache.Used())
	busy := r.use.Busy
	if r.stepping {
		busy += p.now.Sub(max(r.stepStart, r.use.Since))
	}
	u := simulator.ReplicaUse{
		Pool: r.pool, Busy: busy, Steps: r.use.Steps, Served: r.use.Served, ServedTokens: r.use.ServedTokens,
		PeakKV:      float64(r.use.PeakUsed) / float64(r.KVBlocks),
		Preemptions: r.use.Preemptions, Evictions: r.cache.Evictions - r.evictedAtRestart,
		Stability: r.known, Queue: r.reportQueue(),
	}
	u.Lifetimes = p.lifetimesOf(r)
	u.MeanKV = meanShare(&r.use, u.Present(), r.KVBlocks)
	u.Tiers = p.reportTiers(r)
	return u
}

// meanShare is what share of the blocks was used on average.
func meanShare(u *measure.Use, span time.Duration, blocks int) float64 {
	if span <= 0 {
		return 0
	}
	integral := float64(float64(u.High)*(1<<64)) + float64(u.Low)
	return integral / float64(span) / float64(blocks)
}

func (p *plain) schedule(e plainEvent) { p.events = append(p.events, e) }

// earliest returns the earliest event.
func (p *plain) earliest() plainEvent {
	e := plainEvent{at: simtime.Never, kind: plainDrainEnd}
	if at, ok := p.network.Next(); ok {
		e = plainEvent{at: at, kind: plainTransferEnd}
	}
	if f := p.known(); f.Before(e) {
		e = f
	}
	for _, f := range p.events {
		if f.Before(e) {
			e = f
		}
	}
	return e
}

// take takes an event off the list, where it stands there, and every scrape
// until then.
func (p *plain) take(e plainEvent) plainEvent {
	if at := slices.Index(p.events, e); at >= 0 {
		p.events = slices.Delete(p.events, at, at+1)
	}
	if e.kind == plainDrainEnd {
		p.checkProgress()
	}
	p.scrapeUntil(e)
	p.pass(e.at)
	p.now = e.at
	return e
}

func (p *plain) handle(e plainEvent) {
	switch e.kind {
	case plainWarmUpEnd:
		for _, r := range p.replicas {
			r.use = measure.Use{Since: p.now, Settled: p.now, PeakUsed: r.cache.Used(), Worked: r.use.Worked}
			r.evictedAtRestart = r.cache.Evictions
		}
		p.restartTiers()
		p.restartUnits()
	case plainMonitor, plainNodeChange, plainStageEnd, plainTick:
		p.scale(e)
	case plainDisruption:
		p.disrupt(p.Disruptions[e.number])
	case plainTimeOut:
		p.timeOut(e.request)
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
	case plainDelayEnd:
		p.endDelay(e.request)
	case plainRelease:
		p.release()
		p.revoke()
	case plainEntry:
		p.come(e.replica, e.request)
	case plainTransferEnd:
		p.endTransfers()
	case plainStepEnd:
		p.endSteps(e.replica)
	case plainAdapterLoaded:
		p.wake(e.replica)
	case plainWake:
		e.replica.waking = false
		p.startSteps(e.replica)
	case plainDelivery:
		p.deliver(e)
	case plainDrainEnd:
		for _, q := range p.flying {
			if !q.accepted {
				q.Cell = p.metrics.Arrived(p.now, simulator.NoPool, &q.Request)
			}
			p.uncount(q)
			p.metrics.Unfinished(p.now, &q.Request)
			p.note(q, func(rec *record) { rec.end = "unfinished" })
		}
		p.inFlight = 0
	}
}

func (p *plain) pull() {
	if p.Listener != nil {
		p.listen()
		return
	}
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
	if p.Listener != nil {
		p.next, _ = p.Source.Next()
	}
	w := p.next
	p.arrived++
	q := &plainRequest{}
	router, adapter := p.Find(&w)
	q.Info = policy.Request{
		ID: w.ID, Arrival: w.Arrival, Prompt: w.Prompt, Tokens: w.Prompt.Tokens(),
		Tenant: w.Tenant, Class: w.Class, Priority: w.Priority, Session: w.Session, Adapter: int32(adapter), Headers: int32(w.Headers),
		Model: int32(w.Model), Router: int32(router),
	}
	q.Info.Turn = p.turns[int(q.Info.Router)]
	p.turns[int(q.Info.Router)]++
	p.flowOf(q).Arrived++
	targets := p.Targets
	if w.Tenant < len(p.TenantTargets) && p.TenantTargets[w.Tenant] != nil {
		targets = p.TenantTargets[w.Tenant]
	}
	if w.Class < len(targets) {
		q.Info.TTFT, q.Info.TPOT = targets[w.Class].TTFT, targets[w.Class].TPOT
	}
	q.FirstToken, q.LastToken, q.Replica = request.Unset, request.Unset, simulator.NoReplica
	q.Retry = w.Attempt > 0
	output := int32(max(w.OutputTokens, 1))
	q.Prompt = int32(q.Info.Tokens)
	q.Total, q.Finish = q.Prompt, q.Prompt+output
	q.text = w.Prompt.Append(prompt.Extent{Source: w.Response, Start: w.ResponseStart, Tokens: output})
	p.send(q)
	p.startTimeOuts(q, &w)
	p.pull()
}

func (p *plain) send(q *plainRequest) {
	p.tellAll()
	p.prioritize(&q.Info)
	p.letEnter(q)
	p.release()
	p.revoke()
}

// sendTo sends a request to where the router wants it, or ends it.
func (p *plain) sendTo(q *plainRequest, decision policy.Route, err error) {
	if err != nil {
		p.turnAway(q, simulator.NoPool, plainReason(err))
		return
	}
	decision = p.balance(decision)
	r := p.replicas[decision.Endpoint]
	if by, reason, never := p.refuses(q, decision); never {
		p.turnAway(q, by.pool, reason)
		p.tellFinished(q, decision.Endpoint)
		return
	}
	q.accepted, q.Replica = true, int32(decision.Endpoint)
	q.Cell = p.metrics.Arrived(p.now, r.pool, &q.Request)
	p.fly(q)
	p.noteWait(q)
	p.noteDelay(q)
	p.note(q, func(rec *record) { rec.replica = decision.Endpoint })
	p.flowOf(q).Sent++
	p.place(q, decision)
}

// note lets something be written down of what becomes of a request.
func (p *plain) note(q *plainRequest, write func(*record)) {
	if p.recorder != nil {
		write(p.recorder.named(q.Info.ID))
	}
}

// refuses says which of the chosen endpoints does not serve its part, and why.
func (p *plain) refuses(q *plainRequest, to policy.Route) (by *plainReplica, reason simulator.Reason, never bool) {
	chosen := []*plainReplica{p.replicas[to.Endpoint]}
	if q.handsOver(to) {
		chosen = append(chosen, p.replicas[to.Prefill])
	}
	for _, asks := range []func(*plainReplica) (simulator.Reason, bool){
		func(r *plainReplica) (simulator.Reason, bool) {
			if r.index != to.Endpoint {
				return r.refuses(int(q.Prompt), int(q.Prompt)+1)
			}
			return r.refuses(int(q.Prompt), int(q.Finish))
		},
		p.refusal,
		func(r *plainReplica) (simulator.Reason, bool) { return simulator.NoRoom, !p.letsIn(r, q.Prompt) },
	} {
		for _, r := range chosen {
			if reason, never := asks(r); never {
				return r, reason, true
			}
		}
	}
	return nil, 0, false
}

func (p *plain) tellFinished(q *plainRequest, endpoint int) {
	if l := p.Policies.Routing.Responses; l != nil {
		l.Finished(&q.Info, p.front(p.replicas[endpoint]))
	}
}

// place sends a request on its way to the endpoints that were chosen.
func (p *plain) place(q *plainRequest, to policy.Route) {
	r := p.replicas[to.Endpoint]
	q.Replica, q.Believed = int32(to.Endpoint), to.Believed
	q.identities = toldApart(q.text.FullBlocks(nil, r.BlockTokens), q.Info.Adapter)
	p.telling.learn(q.text, q.Info.Adapter, r.BlockTokens)
	if q.handsOver(to) {
		p.hireJob(q, p.replicas[to.Prefill])
		return
	}
	p.approach(r, q)
}

// approach lets a request enter the wait queue of a replica, in its time.
func (p *plain) approach(r *plainReplica, q *plainRequest) {
	delay := r.Cost.QueueBase + time.Duration(q.Prompt)*r.Cost.QueuePerInputToken
	if delay == 0 {
		p.come(r, q)
		return
	}
	p.schedule(plainEvent{at: p.now.Add(delay), kind: plainEntry, number: q.Info.ID, replica: r, request: q})
}

// most is how many blocks a sequence can have beside its windows.
func (r *plainReplica) most() int {
	blocks := 0
	for blocks+1+r.Windows.Groups*min(blocks+1, r.Windows.Blocks) <= r.KVBlocks {
		blocks++
	}
	return blocks
}

func (r *plainReplica) refuses(prompt, total int) (simulator.Reason, bool) {
	switch {
	case prompt == 0:
		return simulator.EmptyPrompt, true
	case r.MaxModelLen > 0 && total > r.MaxModelLen:
		return simulator.ExceedsModelLength, true
	case total-1 > r.most()*r.BlockTokens:
		return simulator.ExceedsKVCache, true
	}
	return 0, false
}

func (p *plain) enter(r *plainReplica, q *plainRequest) {
	r.tellArrival(p.now)
	q.Entered, q.adapterAt = p.now, nil
	r.number(q)
	r.newcomers = append(r.newcomers, q)
	r.wait(q)
	r.announce("entered", q)
	p.wake(r)
}

// wake lets an idle replica look at its queue at the end of this nanosecond.
func (p *plain) wake(r *plainReplica) {
	if !p.steps(r) && !r.waking && len(r.waiting) > 0 {
		r.waking = true
		p.schedule(plainEvent{at: p.now, kind: plainWake, number: r.index, replica: r})
	}
}

func (p *plain) startStep(r *plainReplica) {
	r.use.Settle(p.now, r.cache.Used())
	r.admitted = nil
	r.held = true
	p.tell(r, false)
	step := p.formStep(r)
	for step.Sequences == 0 && (r.preemptedThisStep || r.unbar() || p.unblock(r)) {
		step = p.formStep(r)
	}
	r.watchFormed(p)
	r.barred = false
	p.tell(r, true)
	r.use.PeakUsed = max(r.use.PeakUsed, r.cache.Used())
	begins := step.Sequences > 0
	if begins {
		p.noteStep(r)
	}
	r.held = begins
	begin := func() {
		if begins {
			p.beginStep(r, step)
		}
	}
	if !p.offload(r, begins, begin) {
		begin()
	}
}

func (p *plain) noteStep(r *plainReplica) {
	if p.recorder == nil {
		return
	}
	var shares []stepShare
	for _, q := range r.running {
		if q.Chunk > 0 {
			shares = append(shares, stepShare{q.Info.ID, q.Computed, q.Chunk})
		}
	}
	p.recorder.step(p.now, int32(r.index), shares)
}

func (p *plain) beginStep(r *plainReplica, step latency.Step) {
	if r.LockStep != nil {
		r.formed = step
		p.beginSteps(p.ranksOf(r))
		return
	}
	p.runFor(r, step, r.warmed(p.now, r.Timer.StepTime(step)))
}

// runFor lets a replica compute a step.
func (p *plain) runFor(r *plainReplica, step latency.Step, duration time.Duration) {
	p.tellStep(r, step, duration)
	r.held, r.stepping = false, true
	r.newcomers = nil
	r.stepStart = p.now
	p.schedule(plainEvent{at: p.now.Add(duration), kind: plainStepEnd, number: r.index, replica: r})
	for _, q := range r.running {
		p.streamChunk(q)
	}
}

// formStep is vLLM's scheduler: the running requests in order, then the waiting
// ones, within one budget of tokens.
func (p *plain) formStep(r *plainReplica) latency.Step {
	budget := int32(r.MaxNumBatchedTokens)
	r.preemptedThisStep, r.refused = false, nil
	for i := 0; i < len(r.running) && budget > 0; i++ {
		q := r.running[i]
		n := min(r.capped(q, r.wanted(q)), budget)
		gone := false
		for !gone && !r.extend(q, n) {
			if len(r.running) == 1 && p.makeRoom(r) {
				continue
			}
			victim := r.victim(p.now)
			at := slices.Index(r.running, victim)
			budget += victim.Chunk
			p.preempt(r, victim)
			gone = victim == q
			if at < i {
				i--
			}
		}
		if gone {
			break
		}
		q.Chunk = n
		budget -= n
	}
	for !r.preemptedThisStep && budget > 0 && len(r.running) < r.MaxNumSeqs && len(r.waiting) > 0 {
		r.putInOrder(p.now)
		if r.isLate(r.waiting[0]) || p.lacksAdapter(r, r.waiting[0]) {
			r.passedBy = append(r.passedBy, r.waiting[0])
			r.waiting = r.waiting[1:]
			continue
		}
		n, ok := p.admit(r, r.waiting[0], budget)
		if !ok {
			r.refused = r.waiting[0]
			break
		}
		budget -= n
	}
	r.waiting, r.passedBy = append(r.passedBy, r.waiting...), nil
	var step latency.Step
	for _, q := range r.running {
		if q.Chunk > 0 {
			p.count(&step, q)
		}
	}
	return step
}

// admit takes the front of the queue out of it and returns how many of its tokens
// the step computes: none where it has to wait for KV first.
func (p *plain) admit(r *plainReplica, q *plainRequest, budget int32) (int32, bool) {
	switch {
	case q.sequence != nil:
		return p.resume(r, q, budget)
	case q.receives():
		return 0, p.reserve(r, q)
	}
	r.recall(q)
	cached := int32(r.cache.Match(q.identities, int(q.Total-1)))
	if held := p.below(r, q, cached); len(held) > 0 {
		return 0, p.load(r, q, cached, held)
	}
	n := min(r.capped(q, q.Total-cached), budget)
	reserve := cached + n
	if r.ReserveFullPrompt {
		reserve = q.Total
	}
	sequence, ok := r.allot(p.now, kvtest.Admission{
		Chain: q.identities, Cached: int(cached), Tokens: int(cached + n), Reserve: int(reserve), Priority: q.Info.Priority,
	})
	if !ok {
		return 0, false
	}
	q.sequence, q.Computed = sequence, cached
	r.noteAdmission(p.now, q, cached, 0)
	p.noteHits(r, q, cached, nil)
	p.touch(r, q)
	p.join(r, q, n)
	return n, true
}

// recall puts a share of a prompt into blank blocks, as if it had been computed before.
func (r *plainReplica) recall(q *plainRequest) {
	if q.scheduled || !r.PrefixCaching {
		return
	}
	tokens, lacking := 0, 0
	r.unused = min(r.unused, r.cache.Blank())
	for {
		next := tokens + r.BlockTokens
		if float64(next) > r.InitialCacheHitRate*float64(q.Prompt) || next >= int(q.Total) {
			break
		}
		if r.cache.Match(q.identities, next) < next {
			if lacking == r.unused {
				break
			}
			lacking++
		}
		tokens = next
	}
	if lacking == 0 {
		return
	}
	r.unused -= lacking
	sequence, ok := r.cache.Admit(kvtest.Admission{
		Chain: q.identities, Cached: r.cache.Match(q.identities, tokens), Tokens: tokens, Reserve: tokens, Priority: q.Info.Priority,
	})
	if ok {
		r.cache.Release(sequence)
	}
}

// resume lets a request run whose KV has come from elsewhere.
func (p *plain) resume(r *plainReplica, q *plainRequest, budget int32) (int32, bool) {
	n := min(r.capped(q, q.Total-q.Computed), budget)
	if !r.extend(q, n) {
		return 0, false
	}
	p.join(r, q, n)
	return n, true
}

// join moves the front of the queue into the batch.
func (p *plain) join(r *plainReplica, q *plainRequest, n int32) {
	r.waiting = r.waiting[1:]
	r.running = append(r.running, q)
	r.useAdapter(q)
	q.Chunk, q.PrefillEnd = n, q.Total
	r.start(q)
	r.admitted = append(r.admitted, q)
	if q.scheduled {
		return
	}
	q.scheduled, q.ScheduledAt = true, p.now
	p.noteFound(r, q)
	shown := q.shown()
	if shown != q {
		if shown.scheduled {
			return
		}
		shown.ScheduledAt = p.now
		shown.scheduled, shown.Cached, shown.tierTokens = true, q.Cached, q.tierTokens
	}
	p.metrics.Scheduled(p.now, &shown.Request)
	p.noteBelief(r, shown)
	for kind, tokens := range shown.tierTokens {
		p.metrics.Cells[shown.Cell].TierTokens[kind] += tokens
	}
}

// count adds a request's chunk to the sums, token by token.
func (p *plain) count(step *latency.Step, q *plainRequest) {
	step.Sequences++
	decode := q.Computed >= q.PrefillEnd
	for token := q.Computed + 1; token <= q.Computed+q.Chunk; token++ {
		step.AttentionPairs += int64(token)
		if decode {
			step.DecodeTokens++
			step.DecodePairs += int64(token)
			step.SampledTokens++
			if token < q.Computed+q.Chunk {
				step.DraftPairs += int64(token)
			}
			continue
		}
		step.PrefillTokens++
		// Σ over a chunk's tokens of what t·(2s + t) comes to.
		step.DoublePromptPairs += int64(2*q.PrefillEnd + q.Chunk)
	}
	step.ContextTokens += int64(q.Computed + q.Chunk)
	if !decode && q.Computed+q.Chunk == q.Total {
		step.SampledTokens++
	}
}

func (r *plainReplica) capped(q *plainRequest, n int32) int32 {
	if q.Info.Hints.PrefillChunk > 0 {
		n = min(n, int32(q.Info.Hints.PrefillChunk))
	}
	if r.LongPrefillTokens > 0 {
		return min(n, int32(r.LongPrefillTokens))
	}
	return n
}

func (p *plain) preempt(r *plainReplica, q *plainRequest) {
	r.preemptedThisStep = true
	p.note(q, func(rec *record) { rec.preemptions++ })
	p.tellPreemption(r, q)
	r.running = without(r.running, q)
	r.useAdapter(q)
	p.loseHandoff(q)
	p.dropBlocks(r, q)
	if q.isJob() {
		p.restartHandoff(q.handoff)
	}
	q.High = max(q.High, q.Computed)
	q.Computed, q.Chunk = 0, 0
	r.wait(q)
	r.announce("preempted", q)
	r.use.Preemptions++
	p.metrics.Cells[q.Cell].Preemptions++
}

// endStep lets the chunks take hold and then those leave that are done.
func (p *plain) endStep(r *plainReplica) {
	p.tellComputed(r)
	r.use.Settle(p.now, r.cache.Used())
	r.use.Stepped(r.stepStart, p.now)
	r.countStep(p.now.Sub(r.stepStart))
	for _, q := range r.running {
		if q.Chunk > 0 {
			p.endChunk(r, q)
		}
	}
	for _, q := range slices.Clone(r.running) {
		switch {
		case q.done():
			r.announce("ran", q)
			r.running = without(r.running, q)
			r.useAdapter(q)
			r.finished = append(r.finished, plainFinished{q.Prompt, 1})
			r.use.Served++
			r.use.ServedTokens += int64(q.Prompt)
			p.prefilled(r, q)
		case q.Total == q.Finish:
			r.announce("ran", q)
			r.running = without(r.running, q)
			r.useAdapter(q)
			r.finished = append(r.finished, plainFinished{q.Prompt, q.Generated()})
			r.use.Served++
			r.use.ServedTokens += int64(q.Prompt + q.Generated())
			p.complete(r, q)
		}
	}
	r.stepping = false
	r.barred = r.AsynchronousScheduling
}

// isLate says whether the schedule of the step being formed was made before a request
// came.
func (r *plainReplica) isLate(q *plainRequest) bool {
	return r.barred && slices.Contains(r.newcomers, q)
}

// unbar lets those in who came late, and says whether there are such.
func (r *plainReplica) unbar() bool {
	late := r.barred && len(r.newcomers) > 0
	r.barred = false
	return late
}

func (p *plain) endChunk(r *plainReplica, q *plainRequest) {
	end := q.Computed + q.Chunk
	if q.Computed < q.High {
		p.metrics.Cells[q.Cell].RecomputedTokens += int64(min(end, q.High) - q.Computed)
	}
	completesPrompt := q.Computed < q.PrefillEnd && end >= q.PrefillEnd
	if r.Speculation != nil && q.Computed >= q.PrefillEnd {
		p.verify(r, q)
		return
	}
	q.Computed, q.Chunk = end, 0
	switch {
	case q.isJob():
		if end == q.Total {
			r.waits = append(r.waits, p.now.Sub(q.Entered))
		}
		p.chunkOfJob(q)
	case end == q.Total:
		p.token(r, q, 1)
	}
	if completesPrompt {
		p.storeEagerly(r, q)
	}
}

// token gives a request n tokens at once.
func (p *plain) token(r *plainReplica, q *plainRequest, n int32) {
	q.Total += n
	r.serve(q, int64(n))
	at := p.now.Add(time.Duration(q.Generated()) * r.Cost.PerOutputToken)
	if q.LastToken == request.Unset || q.moved {
		p.schedule(plainEvent{at: at, kind: plainDelivery, number: q.Info.ID, replica: r, request: q})
	}
	r.noteToken(p.now, q)
	q.moved = false
	if q.LastToken == request.Unset {
		q.FirstToken = at
		p.metrics.FirstToken(p.now, &q.Request)
	} else {
		p.metrics.Burst(p.now, q.Cell, int64(p.now.Sub(q.LastToken)+time.Duration(n)*r.Cost.PerOutputToken), int64(n))
	}
	q.LastToken = p.now
	for range n {
		if p.recorder != nil {
			p.recorder.gave(q.Info.ID, at)
		}
	}
}

// complete lets a request go that has given its last token.
func (p *plain) complete(r *plainReplica, q *plainRequest) {
	r.tellCompletion(p.now, q)
	p.storeEagerly(r, q)
	p.loseHandoff(q)
	p.letGo(r, q, r.cache.Release)
	q.leaving = true
	q.last = p.now.Add(time.Duration(q.Generated()) * r.Cost.PerOutputToken)
	p.schedule(plainEvent{at: q.last.Add(r.Cost.Completion), kind: plainDelivery, number: q.Info.ID, ends: true, request: q})
}

func (p *plain) deliver(e plainEvent) {
	q := e.request
	if !e.ends {
		if l := p.Policies.Routing.FirstTokens; l != nil {
			l.FirstTokenAt(p.now, &q.Info)
		}
		if l := p.Policies.Routing.Responses; l != nil {
			l.FirstToken(&q.Info, p.front(e.replica))
		}
		return
	}
	good := p.metrics.Completed(q.last, p.now, &q.Request)
	flow := p.flowOf(q)
	flow.Completed++
	flow.AnswerTokens += int64(q.Generated())
	plainAnswer(&flow.Answers, p.now, &q.Request)
	if good {
		flow.Good++
	}
	if p.Policies.Traffic != nil {
		p.Policies.Traffic.Complete(&q.Info, good)
	}
	p.note(q, func(rec *record) { rec.end = "completed" })
	p.hear(q, workload.Completed)
	if l := p.Policies.Routing.Usage; l != nil {
		l.Used(p.now, &q.Info, int(q.Generated()))
	}
	p.tellFinished(q, int(q.Replica))
	p.uncount(q)
	p.forget(q)
}

// fly notes that a request is in flight.
func (p *plain) fly(q *plainRequest) {
	p.inFlight++
	at := 0
	for at < len(p.flying) && p.flying[at].Info.ID < q.Info.ID {
		at++
	}
	p.flying = slices.Insert(p.flying, at, q)
}

// forget ends a request.
func (p *plain) forget(q *plainRequest) {
	p.flying = without(p.flying, q)
	p.inFlight--
}

func without(all []*plainRequest, q *plainRequest) []*plainRequest {
	return slices.DeleteFunc(all, func(o *plainRequest) bool { return o == q })
}
