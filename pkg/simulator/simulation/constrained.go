// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/queue"
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
func (r *replica) scheduleConstrained() (budget int32, preempted bool) {
	b := &r.batch
	r.takeAllOutOfStep()
	for _, id := range b.running {
		r.requests.All[id].Chunk = 0
	}
	budget = r.maxTokens
	for i := 0; i < len(b.running) && budget > 0; i++ {
		q := &r.requests.All[b.running[i]]
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
	b.prefilling = append(b.prefilling[:0], b.running...)
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
func (r *replica) makeRoom(place int, n int32) (int, takenBack) {
	b := &r.batch
	var back takenBack
	for !r.extend(&r.requests.All[b.running[place]], n) {
		if len(b.running) == 1 && r.freeBlocks() {
			continue
		}
		victim := r.victim()
		back.tokens += r.requests.All[b.running[victim]].Chunk
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
func (r *replica) victim() int {
	running := r.batch.running
	if r.scheduler.Victim == nil {
		return len(running) - 1
	}
	r.service.Settle(r.batch.steps)
	r.jobs = r.jobs[:0]
	for _, id := range running {
		r.jobs = append(r.jobs, r.jobOf(&r.requests.All[id]))
	}
	return r.scheduler.Victim(&r.scheduler, r.jobs, r.now)
}

func (k *core) ticket(id int32) queue.Ticket {
	q := &k.requests.All[id]
	return queue.Ticket{Rank: q.Rank, Turn: q.Turn, Id: id, Group: q.Group}
}

// preempt takes a request off the batch and puts it back into the wait queue.
// It keeps the tokens it has generated and loses its KV, save for what the
// prefix cache still holds when it comes back.
func (r *replica) preempt(victim int) {
	b := &r.batch
	id := b.running[victim]
	q := &r.requests.All[id]
	if r.listeners.preempted != nil {
		r.listeners.preempted(r.preemptionOf(q))
	}
	b.running = append(b.running[:victim], b.running[victim+1:]...)
	r.adapters.runs(q.Info.Adapter, -1)
	r.cancelOngoing(q)
	r.cache.Release(q.Blocks)
	q.High = max(q.High, q.Computed)
	q.Computed, q.Chunk = 0, 0
	q.MoveTo(request.Waiting)
	r.waiting.Insert(r.ticket(id))
	r.watchWaiting(q, id)
	r.tell(scheduling.Listener.Preempted, q)
	r.use.Preemptions++
	r.metrics.Cells[q.Cell].Preemptions++
	for _, o := range r.observers {
		o.Preempted(r, id)
	}
}

// regroup puts all requests that got a token in the step that has just ended
// in step again. Those that did not, though they decode, make the next step a
// constrained one too. A replica that speculates has nobody in step.
func (r *replica) regroup() {
	b := &r.batch
	if r.speculates() {
		b.prefilling = append(b.prefilling[:0], b.running...)
		return
	}
	b.constrained = false
	b.prefilling = b.prefilling[:0]
	for _, id := range b.running {
		q := &r.requests.All[id]
		if q.Decoding() && q.LastToken == r.now && !q.Incomplete {
			r.joinStep(q, id)
			continue
		}
		b.constrained = b.constrained || q.Decoding()
		b.prefilling = append(b.prefilling, id)
	}
}
