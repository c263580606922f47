// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"time"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/handoff"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/queue"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/run"
)

// Replica is one engine: a wait queue, a batch, a block cache, and at most
// one step under way. Unless replicas share a network or a tier, nothing that
// happens in one touches another: each is advanced on its own, and only when
// its state is about to be read or a request to be sent to it.
type Replica struct {
	*run.State
	Cluster *Cluster
	Config  *simulator.Pool

	// Index numbers it among all replicas, Pool its pool, and Rank it among the ranks of
	// one replica.
	Index int32
	Pool  int
	Rank  int
	// serving counts the requests that it has yet to give all of their tokens.
	serving int

	limits
	line
	Batch batch
	clock
	holdings
	// Port is the replica's end of hand-overs.
	Port handoff.Port
	// Advisor is its stability controller; nil where the pool has none.
	Advisor *advisor
	record
}

// NewReplica returns a replica of a pool that has just started.
func NewReplica(index int32, poolIndex int, p *simulator.Pool) Replica {
	r := Replica{Index: index, Pool: poolIndex, Config: p, limits: newLimits(p)}
	r.empty()
	r.Advisor = newAdvisor(p, 0)
	return r
}

// empty makes the replica one that has just started.
func (r *Replica) empty() {
	p := r.Config
	r.Cache = kv.NewCache(p.KVBlocks, p.BlockTokens, p.PrefixCaching, p.Eviction)
	r.Cache.SetWindows(p.Windows)
	r.unused = p.KVBlocks
	r.Batch = newBatch()
	r.Batch.constrained = r.Speculates()
	r.Scheduler = NewScheduler(p)
	r.service = queue.NewService(r.Scheduler.Service)
	r.Waiting = queue.NewWaiting(&r.Scheduler)
	r.Adapters = newAdapters(p.Adapters)
	r.Next, r.Stepping, r.Held, r.cutoff = simtime.Never, false, nil, noCutoff
}

// Advance brings a replica up to a time: everything in it that happens before
// has happened, and nothing of that very nanosecond.
func (r *Replica) Advance(until simtime.Time) {
	if r.Cluster.order != nil {
		r.Cluster.AdvanceInOrder(until)
		return
	}
	for !r.Stopped {
		if r.Cluster.Draining && r.serving == 0 {
			until = min(until, r.Cluster.DrainBound)
		}
		limit := until
		if at, _, ok := r.entries.Next(); ok {
			limit = min(limit, at)
		}
		entry := limit
		if r.Fabric != nil {
			limit = min(limit, r.Fabric.Due())
		}
		if len(r.Observers) == 0 && r.decodesOnly() {
			r.fastForward(limit)
		}
		switch {
		case r.Next < limit:
			r.nextStep()
		case limit >= until:
			return
		case limit < entry:
			r.Now = limit
			r.Fabric.Land(limit)
		default:
			r.Now = limit
			r.Enter(r.entries.Pop())
		}
	}
}

// nextStep ends the step under way, or wakes the replica, and begins the next step.
func (r *Replica) nextStep() {
	r.Now = r.Next
	r.settleGauges()
	if r.Stepping {
		r.endStep()
	}
	r.startStep()
	for _, o := range r.Observers {
		o.Settled(r.Index)
	}
	r.CheckContext()
}

// Wake lets an idle replica look for work at the end of this nanosecond.
func (r *Replica) Wake() {
	if !r.Stepping && r.Next > r.Now && r.Held == nil && !r.LockStep.Busy() {
		r.Next = r.Now
		r.Cluster.reorder(r)
	}
}

// startStep forms the next batch, or leaves the replica idle when there is
// nothing to do.
func (r *Replica) startStep() {
	r.Watch.forms()
	used := r.Cache.Used()
	if r.Fabric != nil {
		// Hand-overs that end here tell of their own blocks.
		r.Use.Settle(r.Now, used)
	}
	r.cacheEvents.form(true)
	step := r.formStep()
	r.cacheEvents.form(false)
	r.watchFormed()
	r.cutoff = noCutoff
	if now := r.Cache.Used(); now != used {
		r.Use.Changed(r.Now, used, now)
	}
	for _, o := range r.Observers {
		r.catchUpAll()
		o.Formed(r.Index, step)
	}
	r.Next = simtime.Never
	if r.Tiers != nil && r.Tiers.Offload(step.Sequences > 0) {
		held := step
		r.Held = &held
		return
	}
	if step.Sequences == 0 {
		if r.Waiting.Len() > 0 {
			r.Next = r.Adapters.due(r.Now)
		}
		return
	}
	r.beginStep(step)
}

// BeginHeld begins the step that waited for copies into tiers.
func (r *Replica) BeginHeld() {
	step := *r.Held
	r.Held = nil
	r.settleGauges()
	r.beginStep(step)
	r.Cluster.reorder(r)
}

// beginStep puts a step under way, now, or once the other ranks have formed theirs.
func (r *Replica) beginStep(step latency.Step) {
	if r.LockStep != nil {
		r.LockStep.join(r, step)
		return
	}
	r.putUnderWay(step, r.timer.StepTime(step))
}

// putUnderWay begins a step of some duration, now.
func (r *Replica) putUnderWay(step latency.Step, duration time.Duration) {
	r.Stepping = true
	r.begin(r.Now, step, duration)
	if r.Port.Jobs > 0 {
		r.Cluster.Handoffs.Stream(r.Batch.prefilling)
	}
}

// begin begins a step, which takes longer while the replica warms up.
func (r *Replica) begin(now simtime.Time, step latency.Step, duration time.Duration) {
	if now < r.WarmUntil {
		duration = slowed(&r.Config.Startup.WarmUp, duration, now.Sub(r.Ready))
	}
	if duration < 1 {
		panic(fmt.Sprintf("simulator: a step of %v at %v", duration, now))
	}
	if r.Listeners.Stepped != nil {
		r.tellStep(now, &step, duration)
	}
	r.StepStart, r.seen = now, r.joins
	r.Next = now.Add(duration)
}
