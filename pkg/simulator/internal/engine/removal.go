// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/network"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/queue"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// Withdraw takes a request off the replica.
func (r *Replica) Withdraw(id int32) { r.remove(id, false) }

// remove takes a request or a job off a replica. Where that has failed its
// blocks go with the cache.
func (r *Replica) remove(id int32, failed bool) {
	r.settleGauges()
	q := &r.Requests.All[id]
	holds := q.Phase() == request.Ready
	switch q.Phase() {
	case request.Entering:
		r.entries.Remove(queue.Entry{At: q.EntryAt, Number: q.Info.ID, Id: id})
		r.reorder()
	case request.Waiting, request.Ready:
		r.Waiting.Remove(r.Ticket(id))
		r.watch.leaves(q, id)
		r.left(q, true)
		if holds {
			r.Holding--
		}
		switch {
		case !failed && r.Waiting.Len() > 0:
			r.Wake()
		case !r.Stepping && r.Next > r.Now && r.Next < simtime.Never:
			// It would wake when an adapter is loaded that no request asks for now.
			r.Next = simtime.Never
			r.reorder()
		}
	case request.Held:
		r.cluster.Handoffs.Unhold(id)
	case request.Loading:
		holds = true
		r.Loading--
		r.left(q, true)
		if !failed && r.Tiers != nil {
			r.Tiers.CancelLoads(id)
		}
	case request.Running:
		holds = true
		r.Batch.take(id)
		r.left(q, false)
		r.Adapters.runs(q.Info.Adapter, -1)
		if q.Job {
			r.Port.Jobs--
		}
	}
	q.MoveTo(request.None)
	if failed {
		q.Source = 0
	}
	if !holds || failed {
		return
	}
	used := r.Cache.Used()
	if q.Source != 0 {
		r.Tiers.CancelCopies(q)
	}
	r.takeBlocks(q)
	r.BlocksReleased(used)
}

// reset makes a replica a new one, idle, at the same place.
func (r *Replica) reset() {
	r.settleGauges()
	if r.Stepping {
		r.Use.Busy += r.Now.Sub(max(r.StepStart, r.Use.Since))
	}
	if r.Fabric != nil {
		r.Fabric.Fail(r.Now, func(t network.Transfer) bool { return t.Replica() == r.Index })
	}
	r.Use.Changed(r.Now, r.Cache.Used(), 0)
	r.Use.Lost += r.Cache.Evictions()
	r.empty()
	r.Next, r.Stepping, r.Held = simtime.Never, false, nil
	r.cacheEvents.restarted(r.Cache)
	if r.Exports != nil {
		r.Exports.restart()
	}
	r.Advisor = r.Advisor.again(r.Now)
	if r.Tiers != nil {
		r.Tiers.Empty(r.Cache)
	}
	r.LockStep.reset()
	r.reorder()
}
