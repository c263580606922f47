// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// scheduleConstrained gives the running requests their share of the budget and
// their blocks one by one, in order of admission. Where blocks run out a
// request is preempted, which may be the very one that needs them; the others
// go on. It returns the rest of the budget and whether anyone was preempted: no
// request is admitted in such a step, as it would take the blocks that were
// just made free.
//
// All that run are in prefilling then, for want of a request in step.
func (r *Replica) scheduleConstrained() (budget int32, preempted bool) {
	b := &r.Batch
	r.takeAllOutOfStep()
	for _, id := range b.Running {
		r.Requests.All[id].Chunk = 0
	}
	budget = r.MaxTokens
	for i := 0; i < len(b.Running) && budget > 0; i++ {
		q := &r.Requests.All[b.Running[i]]
		n := min(r.wants(q), r.chunkLimit(q), budget)
		place, returned := r.makeRoom(i, n)
		preempted = preempted || returned.preempted
		budget += returned.tokens
		if place == gone {
			break
		}
		i = place
		q.Chunk = n
		budget -= n
	}
	b.prefilling = append(b.prefilling[:0], b.Running...)
	return budget, preempted
}

// gone is the place in the batch of a request that has been preempted.
const gone = -1

// takenBack is what preemptions in the course of a step give back to it.
type takenBack struct {
	tokens    int32 // of the budget
	preempted bool
}

// makeRoom gives the request at a place of the batch room for its next n tokens,
// preempting until they fit. It returns the request's new place, or gone if it was
// preempted itself.
func (r *Replica) makeRoom(place int, n int32) (int, takenBack) {
	b := &r.Batch
	var back takenBack
	for !r.extend(&r.Requests.All[b.Running[place]], n) {
		if len(b.Running) == 1 && r.freeBlocks() {
			continue
		}
		victim := r.victim()
		back.tokens += r.Requests.All[b.Running[victim]].Chunk
		back.preempted = true
		r.preempt(victim)
		switch {
		case victim == place:
			return gone, back
		case victim < place:
			place--
		}
	}
	return place, back
}

// victim returns the place in the batch of the request that gives way.
func (r *Replica) victim() int {
	running := r.Batch.Running
	if r.Scheduler.Victim == nil {
		return len(running) - 1
	}
	r.service.Settle(r.Batch.steps)
	r.jobs = r.jobs[:0]
	for _, id := range running {
		r.jobs = append(r.jobs, r.JobOf(&r.Requests.All[id]))
	}
	return r.Scheduler.Victim(&r.Scheduler, r.jobs, r.Now)
}

// preempt takes a request off the batch and puts it back into the wait queue.
// It keeps the tokens it has generated and loses its KV, save for what the
// prefix cache still holds when it comes back.
func (r *Replica) preempt(victim int) {
	b := &r.Batch
	id := b.Running[victim]
	q := &r.Requests.All[id]
	if r.Listeners.Preempted != nil {
		r.Listeners.Preempted(r.preemptionOf(q))
	}
	b.Running = append(b.Running[:victim], b.Running[victim+1:]...)
	r.Adapters.runs(q.Info.Adapter, -1)
	r.cancelOngoing(q)
	r.Cache.Release(q.Blocks)
	q.High = max(q.High, q.Computed)
	q.Computed, q.Chunk = 0, 0
	q.MoveTo(request.Waiting)
	r.Waiting.Insert(r.Ticket(id))
	r.watchWaiting(q, id)
	r.tell(scheduling.Listener.Preempted, q)
	r.Use.Preemptions++
	r.Metrics.Cells[q.Cell].Preemptions++
	for _, o := range r.Observers {
		o.Preempted(r.Index, id)
	}
}

// regroup puts all requests that got a token in the step that has just ended
// in step again. Those that did not, though they decode, make the next step a
// constrained one too. A replica that speculates has no request in step.
func (r *Replica) regroup() {
	b := &r.Batch
	if r.Speculates() {
		b.prefilling = append(b.prefilling[:0], b.Running...)
		return
	}
	b.constrained = false
	b.prefilling = b.prefilling[:0]
	for _, id := range b.Running {
		q := &r.Requests.All[id]
		if q.Decoding() && q.LastToken == r.Now && !q.Incomplete {
			r.joinStep(q, id)
			continue
		}
		b.constrained = b.constrained || q.Decoding()
		b.prefilling = append(b.prefilling, id)
	}
}
