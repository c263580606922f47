// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/queue"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// countServing counts a request that a replica has to serve, or had to.
func (r *replica) countServing(n int) {
	r.serving += n
	r.cluster.serving += n
}

// sendToQueue sends a request to a replica's wait queue, where it comes after what
// the way there takes.
func (r *replica) sendToQueue(id int32) {
	now := r.now
	r.advance(now)
	r.now = now
	q := &r.requests.All[id]
	if delay := r.entryDelay(q.Prompt); delay > 0 {
		q.MoveTo(request.Entering)
		q.EntryAt = now.Add(delay)
		r.entries.Push(queue.Entry{At: q.EntryAt, Number: q.Info.ID, Id: id})
		r.cluster.reorder(r)
		return
	}
	r.enter(id)
}

// refuses says whether the engine can never serve so many tokens, and why. The
// last token of an answer leaves without a KV of its own.
func (r *replica) refuses(prompt, total int64) (simulator.Reason, bool) {
	switch {
	case prompt == 0:
		return simulator.EmptyPrompt, true
	case r.maxModelTokens > 0 && total > r.maxModelTokens:
		return simulator.ExceedsModelLength, true
	case total-1 > int64(r.config.KVTokens()):
		return simulator.ExceedsKVCache, true
	}
	return 0, false
}

// entryDelay is how long a request is held up before it enters the wait queue.
func (r *replica) entryDelay(prompt int32) time.Duration {
	return r.cost.QueueBase + time.Duration(prompt)*r.cost.QueuePerInputToken
}

// enter puts a request into the wait queue, now. An idle replica wakes at the
// end of this nanosecond, so that all that arrives in it is in its first batch.
func (r *replica) enter(id int32) {
	if r.cluster.holdsJob(id) {
		return
	}
	r.advisor.arrived(r.now)
	r.settleGauges()
	q := &r.requests.All[id]
	q.MoveTo(request.Waiting)
	q.Entered = r.now
	r.takeTurn(q)
	r.joined(q)
	r.waiting.PushBack(r.ticket(id))
	r.watchWaiting(q, id)
	r.tell(scheduling.Listener.Entered, q)
	r.wake()
}
