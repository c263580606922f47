// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/queue"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// CountServing counts a request that a replica has to serve, or had to.
func (r *Replica) CountServing(n int) {
	r.serving += n
	r.Cluster.Serving += n
}

// SendToQueue sends a request to a replica's wait queue, where it comes after what
// the way there takes.
func (r *Replica) SendToQueue(id int32) {
	now := r.Now
	r.Advance(now)
	r.Now = now
	q := &r.Requests.All[id]
	if delay := r.entryDelay(q.Prompt); delay > 0 {
		q.MoveTo(request.Entering)
		q.EntryAt = now.Add(delay)
		r.entries.Push(queue.Entry{At: q.EntryAt, Number: q.Info.ID, Id: id})
		r.Cluster.reorder(r)
		return
	}
	r.Enter(id)
}

// Refuses says whether the engine can never serve a number of tokens, and why. The
// last token of an answer leaves without a KV of its own.
func (r *Replica) Refuses(prompt, total int64) (simulator.Reason, bool) {
	switch {
	case prompt == 0:
		return simulator.EmptyPrompt, true
	case r.maxModelTokens > 0 && total > r.maxModelTokens:
		return simulator.ExceedsModelLength, true
	case total-1 > int64(r.Config.KVTokens()):
		return simulator.ExceedsKVCache, true
	}
	return 0, false
}

// Enter puts a request into the wait queue, now. An idle replica wakes at the
// end of this nanosecond, so that all that arrives in it is in its first batch.
func (r *Replica) Enter(id int32) {
	q := &r.Requests.All[id]
	if q.Job && r.Cluster.Handoffs.Holds(id) {
		return
	}
	r.Advisor.arrived(r.Now)
	r.settleGauges()
	q.MoveTo(request.Waiting)
	q.Entered = r.Now
	r.takeTurn(q)
	r.joined(q)
	r.Waiting.PushBack(r.Ticket(id))
	r.watchWaiting(q, id)
	r.tell(scheduling.Listener.Entered, q)
	r.Wake()
}
