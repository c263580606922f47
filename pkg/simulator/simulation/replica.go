// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/measure"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/queue"
)

// replica is one engine: a wait queue, a batch, a block cache, and at most
// one step under way. Unless replicas share a network or a tier, nothing that
// happens in one touches another: each is advanced on its own, and only when
// somebody is about to look at it or to send it a request.
type replica struct {
	*core
	cluster *cluster

	index int32
	pool  int
	// rank numbers it among the ranks of its replica.
	rank int

	timer          latency.StepTimer
	cost           latency.RequestCost
	maxSeqs        int
	maxTokens      int32
	longPrefill    int32
	maxModelTokens int64
	prefixCaching  bool
	reserve        bool
	asynchronous   bool

	config     *simulator.Pool
	blockBytes int64
	cache      *kv.Cache
	// unused bounds the blocks that can still hold KV from before the replica's start.
	unused int
	// exports are what the engine counts for a router that reads it; nil where none does.
	exports *exports
	// cacheEvents tells the router what the cache holds; nil where it does not hear.
	cacheEvents *cacheEventRelay
	// reported is how many blocks the engine says that the cache has.
	reported int
	// entries are requests on their way to the wait queue.
	entries queue.Entries
	waiting queue.Waiting
	batch   batch
	// scheduler orders the queue, and service counts for it.
	scheduler scheduling.Scheduler
	service   *queue.Service
	jobs      []scheduling.Job // scratch
	skipped   []int32          // scratch
	// joins counts the requests that came into the queue from outside of a step's forming;
	// seen is how many there were when the step under way began, and cutoff the last
	// that the step being formed may have.
	joins, seen, cutoff int64
	// watch measures what the order of the queue does; nil where nobody asks.
	watch *queueWatch

	// next is when the step under way ends, or, where there is none, when an
	// idle replica wakes, be it now or when an adapter is loaded; Never if it has
	// nothing to do.
	next      simtime.Time
	stepping  bool
	stepStart simtime.Time
	// stepEnd is when the step before it ended, which gave those in step their
	// last token.
	stepEnd simtime.Time
	// held is the step that waits for a transfer before it begins; nil if none
	// does.
	held *latency.Step
	// lockStep is the ranks that step together; nil where it steps on its own.
	lockStep *lockStep

	// fabric moves blocks to and from the replica; nil where nothing does.
	fabric *fabric
	// tiers is the tiers below the cache; nil if there are none.
	tiers *tierSet
	// port is the replica's end of hand-overs.
	port port
	// serving counts the requests that it has yet to give all of their tokens.
	serving int
	// links are the stations of fabric that belong to the replica.
	links []link

	// adapters are those that the replica holds; nil where it serves none.
	adapters *adapters

	use measure.Use
	// gauges follow the replica through time; nil where nobody wants to know.
	gauges    *measure.ReplicaGauges
	lifetimes measure.Lifetimes
	// ready is when the replica began to serve, and warmUntil up to when its steps are
	// slower then; 0 where they never were.
	ready, warmUntil simtime.Time
	// advisor watches; nil where nobody does.
	advisor *advisor
}

// newReplica returns an idle replica of the pool.
func newReplica(index int32, poolIndex int, p *simulator.Pool) replica {
	longPrefill := p.LongPrefillTokens
	if longPrefill == 0 {
		longPrefill = math.MaxInt32
	}
	r := replica{
		index:          index,
		config:         p,
		blockBytes:     p.BlockBytes,
		pool:           poolIndex,
		timer:          p.Timer,
		cost:           p.Cost,
		maxSeqs:        p.MaxNumSeqs,
		maxTokens:      int32(min(p.MaxNumBatchedTokens, math.MaxInt32)),
		longPrefill:    int32(min(longPrefill, math.MaxInt32)),
		maxModelTokens: int64(p.MaxModelLen),
		prefixCaching:  p.PrefixCaching,
		reserve:        p.ReserveFullPrompt,
		asynchronous:   p.AsynchronousScheduling,
		reported:       cmp.Or(p.ReportedBlocks, p.KVBlocks),
	}
	r.empty()
	r.advisor = newAdvisor(p, 0)
	return r
}

// empty makes the replica one that has just started.
func (r *replica) empty() {
	p := r.config
	r.cache = kv.NewCache(p.KVBlocks, p.BlockTokens, p.PrefixCaching, p.Eviction)
	r.cache.SetWindows(p.Windows)
	r.unused = p.KVBlocks
	r.batch = newBatch()
	r.batch.constrained = r.speculates()
	r.scheduler = newScheduler(p)
	r.service = queue.NewService(r.scheduler.Service)
	r.waiting = queue.NewWaiting(&r.scheduler)
	r.adapters = newAdapters(p.Adapters)
	r.next, r.stepping, r.held, r.cutoff = simtime.Never, false, nil, noCutoff
}

// advance brings a replica up to a time: everything in it that happens before
// has happened, and nothing of that very nanosecond.
func (r *replica) advance(until simtime.Time) {
	if r.cluster.order != nil {
		r.cluster.advanceInOrder(until)
		return
	}
	for !r.stopped {
		if r.cluster.draining && r.serving == 0 {
			until = min(until, r.cluster.drainBound)
		}
		limit := until
		if at, _, ok := r.entries.Next(); ok {
			limit = min(limit, at)
		}
		entry := limit
		if r.fabric != nil {
			limit = min(limit, r.fabric.due())
		}
		if len(r.observers) == 0 && r.decodesOnly() {
			r.fastForward(limit)
		}
		switch {
		case r.next < limit:
			r.nextStep()
		case limit >= until:
			return
		case limit < entry:
			r.cluster.land(r.fabric, limit)
		default:
			r.now = limit
			r.enter(r.entries.Pop())
		}
	}
}

// nextStep ends the step under way, or wakes the replica, and begins the next step.
func (r *replica) nextStep() {
	r.now = r.next
	r.settleGauges()
	if r.stepping {
		r.endStep()
	}
	r.startStep()
	for _, o := range r.observers {
		o.Settled(r)
	}
	r.checkContext()
}

// wake lets an idle replica look for work at the end of this nanosecond.
func (r *replica) wake() {
	if !r.stepping && r.next > r.now && r.held == nil && !r.lockStep.busy() {
		r.next = r.now
		r.cluster.reorder(r)
	}
}

// startStep forms the next batch, or leaves the replica idle when there is
// nothing to do.
func (r *replica) startStep() {
	r.watch.forms()
	used := r.cache.Used()
	if r.fabric != nil {
		// Hand-overs that end here tell of their own blocks.
		r.use.Settle(r.now, used)
	}
	r.cacheEvents.form(true)
	step := r.formStep()
	r.cacheEvents.form(false)
	r.watchFormed()
	r.cutoff = noCutoff
	if now := r.cache.Used(); now != used {
		r.use.Changed(r.now, used, now)
	}
	for _, o := range r.observers {
		r.catchUpAll()
		o.Formed(r, step)
	}
	r.next = simtime.Never
	if r.tiers != nil && r.tiers.offloadAfterForming(step) {
		return
	}
	if step.Sequences == 0 {
		if r.waiting.Len() > 0 {
			r.next = r.adapters.due(r.now)
		}
		return
	}
	r.beginStep(step)
}

// beginStep puts a step under way, now, or once the other ranks have formed theirs.
func (r *replica) beginStep(step latency.Step) {
	if r.lockStep != nil {
		r.lockStep.join(r, step)
		return
	}
	r.putUnderWay(step, r.timer.StepTime(step))
}

// putUnderWay begins a step of some duration, now.
func (r *replica) putUnderWay(step latency.Step, duration time.Duration) {
	r.stepping = true
	r.begin(r.now, step, duration)
	if r.port.jobs > 0 {
		r.cluster.stream(r)
	}
}

// begin begins a step, which takes longer while the replica warms up.
func (r *replica) begin(now simtime.Time, step latency.Step, duration time.Duration) {
	if now < r.warmUntil {
		duration = slowed(&r.config.Startup.WarmUp, duration, now.Sub(r.ready))
	}
	if duration < 1 {
		panic(fmt.Sprintf("simulator: a step of %v at %v", duration, now))
	}
	if r.listeners.stepped != nil {
		r.tellStep(now, &step, duration)
	}
	r.stepStart, r.seen = now, r.joins
	r.next = now.Add(duration)
}
