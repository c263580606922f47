// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/network"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/queue"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// RanksOf are the ranks of the replica of an endpoint: the endpoint alone where there is
// no data parallelism.
func (c *Cluster) RanksOf(endpoint int) []Replica {
	first := endpoint - c.Replicas[endpoint].Rank
	return c.Replicas[first : first+c.Replicas[first].Config.RanksPerReplica()]
}

// Dependents lists the requests that need a replica to go on.
func (c *Cluster) Dependents(r *Replica) []int32 {
	var ids []int32
	for i := range c.Requests.All {
		q := &c.Requests.All[i]
		if !q.Phase().AtReplica() || q.Job {
			continue
		}
		from := q.Replica
		if q.Handoff != 0 {
			from, _ = c.Handoffs.Source(q)
		}
		if q.Replica == r.Index || from == r.Index {
			ids = append(ids, int32(i))
		}
	}
	c.SortByArrival(ids)
	return ids
}

// SortByArrival sorts requests by the order of their arrival.
func (c *Cluster) SortByArrival(ids []int32) {
	slices.SortFunc(ids, func(a, b int32) int { return c.Requests.All[a].Info.ID - c.Requests.All[b].Info.ID })
}

// TakeOffReplicas takes a request off everything that it is part of, as a replica has
// failed; nil if none has.
func (c *Cluster) TakeOffReplicas(failed *Replica, id int32) {
	q := &c.Requests.All[id]
	if q.Phase() != request.Loading {
		q.High = max(q.High, q.Computed)
	}
	if q.Handoff != 0 {
		at, job := c.Handoffs.Source(q)
		if from := &c.Replicas[at]; c.Requests.All[job].Phase() != request.Leaving {
			from.remove(job, from == failed)
		}
		c.Handoffs.Cancel(q)
	}
	c.Replicas[q.Replica].CountServing(-1)
	c.Replicas[q.Replica].remove(id, &c.Replicas[q.Replica] == failed)
	q.Incomplete, q.Computed, q.Chunk, q.Loads = false, 0, 0, 0
	q.Exported = false
}

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
		r.Cluster.reorder(r)
	case request.Waiting, request.Ready:
		r.Waiting.Remove(r.Ticket(id))
		r.Watch.leaves(q, id)
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
			r.Cluster.reorder(r)
		}
	case request.Held:
		r.Cluster.Handoffs.Unhold(id)
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
	r.Cache.Release(q.Blocks)
	r.BlocksReleased(used)
}

// take takes a request off a batch that may be in the middle of a step, whose
// duration stays.
func (b *batch) take(id int32) {
	b.remove(id)
	b.prefilling = slices.DeleteFunc(b.prefilling, func(other int32) bool { return other == id })
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
	r.cacheEvents.restarted(r)
	if r.Exports != nil {
		r.Exports.restart()
	}
	r.Advisor = r.Advisor.again(r, r.Now)
	if r.Tiers != nil {
		r.Tiers.Empty(r.Cache)
	}
	r.LockStep.reset()
	r.Cluster.reorder(r)
}

// StepWithout takes a request out of step, be it in the middle of one.
func (r *Replica) StepWithout(q *request.Request, id int32) {
	r.leaveStep(q)
	r.Batch.forget(id)
}

// forget takes a request out of the order of ends.
func (b *batch) forget(id int32) {
	all := b.done
	b.done = all[:0]
	for _, f := range all {
		if f.id != id {
			b.done = append(b.done, f)
			queue.SiftUp(b.done)
		}
	}
}

// Stop takes all requests off a replica that is there no more, and returns them in order
// of arrival.
func (c *Cluster) Stop(r *Replica) []int32 {
	lost := c.Dependents(r)
	if len(r.Batch.Running) > 0 {
		r.takeAllOutOfStep()
	}
	for _, id := range lost {
		c.TakeOffReplicas(r, id)
	}
	r.reset()
	return lost
}
