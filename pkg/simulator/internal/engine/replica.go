// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/queue"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// Replica is one engine: a wait queue, a batch, a block cache, and at most
// one step under way. Unless replicas share a network or a tier, nothing that
// happens in one touches another: each is advanced on its own, and only when
// its state is about to be read or a request to be sent to it.
//
// stepper decides what a step computes; Replica decides when a step begins and ends.
type Replica struct {
	stepper
	// Pool is the number of its pool, and Rank numbers it among the ranks of one replica.
	Pool int
	Rank int

	// Next is when the step under way ends, or, without one, when an
	// idle replica wakes, be it now or when an adapter is loaded; Never if it has
	// nothing to do.
	Next simtime.Time
	// Stepping says that a step is under way, since StepStart < Next. Then Held is nil.
	Stepping  bool
	StepStart simtime.Time
	// Held is the step that waits for a transfer before it begins; nil if none
	// does. Then Next is Never.
	Held *latency.Step
	// LockStep is the ranks that step together; nil where it steps on its own.
	LockStep *lockStep
	// Ready is when the replica began to serve, and WarmUntil up to when its steps are
	// slower then; 0 where they never were.
	Ready, WarmUntil simtime.Time
}

// Advance brings a replica up to a time: everything in it that happens before
// has happened, and nothing of that very nanosecond.
func (r *Replica) Advance(until simtime.Time) {
	if r.cluster.order != nil {
		r.cluster.advance(until)
		return
	}
	for !r.Stopped {
		if r.cluster.Draining && r.serving == 0 {
			until = min(until, r.cluster.DrainBound)
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
		r.endStep(r.StepStart)
		r.Stepping = false
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
		r.reorder()
	}
}

// decodesOnly says whether the step under way and those after it do nothing but give
// each request of the batch its next token, until one has its last: no request is
// in prefill, and none waits or all places are taken.
func (r *Replica) decodesOnly() bool {
	b := &r.Batch
	return r.Stepping && r.Next >= r.WarmUntil && !b.constrained && len(b.prefilling) == 0 && len(b.done) > 0 &&
		(r.Waiting.Len() == 0 || len(b.Running) == r.MaxSeqs)
}

// fastForward goes through such steps up to a time, or to the first one that ends a
// request or for which there are not blocks enough; that one is left as it is. A
// step is endStep and startStep with what they would find nothing to do in left
// out.
func (r *Replica) fastForward(until simtime.Time) {
	b := &r.Batch
	for r.Next < until && b.steps+1 < b.done.next() && r.CheckContext() {
		needs := r.Cache.StepNeeds()
		if needs > r.Cache.Free() || r.Tiers != nil && r.Tiers.MayOffload(needs) {
			return
		}
		now := r.Next
		b.steps++
		r.decode(now)
		r.Use.Stepped(r.StepStart, now)
		b.stepEnd = now

		if needs > 0 {
			used := r.Cache.Used()
			r.Use.Changed(now, used, used+needs)
		}
		if r.cacheEvents != nil {
			r.Now = now
			r.cacheEvents.computed()
		}
		r.cacheEvents.form(true)
		r.Cache.Step()
		r.cacheEvents.form(false)
		step := b.decodeStep()
		r.begin(now, &step, r.timer.StepTime(step))
	}
}

// startStep forms the next batch, or leaves the replica idle when there is
// nothing to do.
func (r *Replica) startStep() {
	r.watch.forms()
	used := r.Cache.Used()
	if r.Fabric != nil {
		// Hand-overs that end here tell of their own blocks.
		r.Use.Settle(r.Now, used)
	}
	r.cacheEvents.form(true)
	step := r.formStep()
	r.cacheEvents.form(false)
	if r.watch != nil {
		r.watch.formed(r.cutoff, r.Batch.longestPrompt(), r.Cache.Free())
	}
	r.cutoff = noCutoff
	if now := r.Cache.Used(); now != used {
		r.Use.Changed(r.Now, used, now)
	}
	for _, o := range r.Observers {
		r.Batch.catchUpAll()
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
	r.beginStep(&step)
}

// BeginHeld begins the step that waited for copies into tiers.
func (r *Replica) BeginHeld() {
	step := r.Held
	r.Held = nil
	r.settleGauges()
	r.beginStep(step)
	r.reorder()
}

// beginStep puts a step under way, now, or once the other ranks have formed theirs.
func (r *Replica) beginStep(step *latency.Step) {
	if r.LockStep != nil {
		r.LockStep.join(r, step)
		return
	}
	r.putUnderWay(step, r.timer.StepTime(*step))
}

// putUnderWay begins a step of some duration, now.
func (r *Replica) putUnderWay(step *latency.Step, duration time.Duration) {
	r.Stepping = true
	r.begin(r.Now, step, duration)
	if r.Port.Jobs > 0 {
		r.cluster.Handoffs.Stream(r.Batch.prefilling)
	}
}

// begin begins a step, which takes longer while the replica warms up.
func (r *Replica) begin(now simtime.Time, step *latency.Step, duration time.Duration) {
	if now < r.WarmUntil {
		duration = slowed(&r.Config.Startup.WarmUp, duration, now.Sub(r.Ready))
	}
	if duration < 1 {
		panic(fmt.Sprintf("simulator: a step of %v at %v", duration, now))
	}
	if r.Listeners.Stepped != nil {
		r.tellStep(now, step, duration)
	}
	r.StepStart, r.seen = now, r.joins
	r.Next = now.Add(duration)
}

// nextEvent is the replica's next event.
func (r *Replica) nextEvent() replicaEvent {
	w := replicaEvent{at: r.Next, kind: replicaWakes, number: int(r.Index), replica: r.Index}
	if r.Stepping {
		w.kind = stepEnds
	}
	if at, number, ok := r.entries.Next(); ok {
		if e := (replicaEvent{at: at, kind: entryDue, number: number, replica: r.Index}); e.Before(w) {
			return e
		}
	}
	return w
}

// due is a time before which nothing happens in the replica: in one with tiers of its own, whose
// network has events too, any time.
func (r *Replica) due() simtime.Time {
	if r.Fabric != nil {
		return 0
	}
	at := r.Next
	if entry, _, ok := r.entries.Next(); ok {
		at = min(at, entry)
	}
	return at
}

// reorder notes the replica's next event, which may have changed, among those of all.
func (r *Replica) reorder() {
	if r.cluster.order != nil {
		r.cluster.order.set(r.Index, r.nextEvent())
	} else {
		r.cluster.setDue(int(r.Index), r.due())
	}
}

// SendToQueue sends a request to a replica's wait queue, where it comes after what
// the way there takes.
func (r *Replica) SendToQueue(id int32) {
	now := r.Now
	r.Advance(now)
	r.Now = now
	q := &r.Requests.All[id]
	if q.Job {
		r.countJob(q, +1)
	}
	if delay := r.entryDelay(q.Prompt); delay > 0 {
		q.MoveTo(request.Entering)
		q.EntryAt = now.Add(delay)
		r.entries.Push(queue.Entry{At: q.EntryAt, Number: q.Info.ID, Id: id})
		r.reorder()
		return
	}
	r.Enter(id)
}

// Enter puts a request into the wait queue, now. An idle replica wakes at the
// end of this nanosecond, so that all that arrives in it is in its first batch.
func (r *Replica) Enter(id int32) {
	q := &r.Requests.All[id]
	if q.Job && r.cluster.Handoffs.Holds(id) {
		return
	}
	r.Advisor.arrived(r.Now)
	r.settleGauges()
	q.MoveTo(request.Waiting)
	q.Entered, q.LacksAdapter = r.Now, request.Unset
	client := r.cluster.Handoffs.Client(q)
	r.takeTurn(q, client.Finish-client.Prompt)
	r.joined(q)
	r.Waiting.PushBack(r.Ticket(id))
	r.watchWaiting(q, id)
	r.tell(scheduling.Listener.Entered, q)
	r.Wake()
}

// Resume puts a request back into the queue whose KV has come, in the place
// that it had.
func (r *Replica) Resume(id int32) {
	r.settleGauges()
	q := &r.Requests.All[id]
	q.MoveTo(request.Ready)
	r.joined(q)
	r.Loading--
	r.Holding++
	r.waitAgain(q, id)
	r.Wake()
}

// BlocksReleased tells of blocks that were given up outside of the replica's own steps.
func (r *Replica) BlocksReleased(before int) {
	if now := r.Cache.Used(); now != before {
		r.Use.Changed(r.Now, before, now)
	}
	if r.Waiting.Len() > 0 {
		r.Wake()
	}
}

// ReleaseJob frees the blocks of a job whose prompt has been handed over, or never will.
func (r *Replica) ReleaseJob(job *request.Request, drop bool) {
	used := r.Cache.Used()
	r.releaseBlocks(job, drop)
	r.BlocksReleased(used)
}

// settleGauges accounts for the time up to now, before something of the replica changes.
func (r *Replica) settleGauges() {
	if r.Gauges.Stale(r.Now) {
		r.settleStaleGauges()
	}
}

func (r *Replica) settleStaleGauges() {
	busy := int64(0)
	if r.Stepping {
		busy = 1
	}
	r.Gauges.Settle(r.Now, int64(r.waiting()), int64(len(r.Batch.Running)), busy)
}
