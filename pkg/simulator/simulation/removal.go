// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/queue"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// ranksOf are the ranks of the replica of an endpoint: the endpoint alone where there is
// no data parallelism.
func (c *cluster) ranksOf(endpoint int) []replica {
	first := endpoint - c.replicas[endpoint].rank
	return c.replicas[first : first+c.replicas[first].config.RanksPerReplica()]
}

// dependents lists the requests that need a replica to go on.
func (c *cluster) dependents(r *replica) []int32 {
	var ids []int32
	for i := range c.requests.All {
		q := &c.requests.All[i]
		if !q.Phase().AtReplica() || q.Job {
			continue
		}
		if q.Replica == r.index || q.Handoff != 0 && c.handoffs.of(q).from == r.index {
			ids = append(ids, int32(i))
		}
	}
	c.sortByArrival(ids)
	return ids
}

func (c *cluster) sortByArrival(ids []int32) {
	slices.SortFunc(ids, func(a, b int32) int { return c.requests.All[a].Info.ID - c.requests.All[b].Info.ID })
}

// takeOffReplicas takes a request off everything that it is part of, as a replica has
// failed; nil if none has.
func (c *cluster) takeOffReplicas(failed *replica, id int32) {
	q := &c.requests.All[id]
	if q.Phase() != request.Loading {
		q.High = max(q.High, q.Computed)
	}
	if q.Handoff != 0 {
		h := c.handoffs.of(q)
		if from := &c.replicas[h.from]; c.requests.All[h.job].Phase() != request.Leaving {
			from.remove(h.job, from == failed)
		}
		c.cancelHandoff(h)
	}
	c.replicas[q.Replica].countServing(-1)
	c.replicas[q.Replica].remove(id, &c.replicas[q.Replica] == failed)
	q.Incomplete, q.Computed, q.Chunk, q.Loads = false, 0, 0, 0
	q.Exported = false
}

// remove takes a request or a job off a replica. Where that has failed its
// blocks go with the cache.
func (r *replica) remove(id int32, failed bool) {
	r.settleGauges()
	q := &r.requests.All[id]
	holds := q.Phase() == request.Ready
	switch q.Phase() {
	case request.Entering:
		r.entries.Remove(queue.Entry{At: q.EntryAt, Number: q.Info.ID, Id: id})
		r.cluster.reorder(r)
	case request.Waiting, request.Ready:
		r.waiting.Remove(r.ticket(id))
		r.watch.leaves(q, id)
		r.left(q, true)
		if holds {
			r.port.holding--
		}
		switch {
		case !failed && r.waiting.Len() > 0:
			r.wake()
		case !r.stepping && r.next > r.now && r.next < simtime.Never:
			// It would wake when an adapter is loaded that nobody asks for now.
			r.next = simtime.Never
			r.cluster.reorder(r)
		}
	case request.Held:
		to := &r.cluster.replicas[r.cluster.handoffs.of(q).to].port
		to.held = slices.DeleteFunc(to.held, func(other int32) bool { return other == id })
	case request.Loading:
		holds = true
		r.port.loading--
		r.left(q, true)
		if !failed {
			r.cancelTransfers(func(d transferHandler) bool { l, ok := d.(*load); return ok && l.request == id })
		}
	case request.Running:
		holds = true
		r.batch.take(id)
		r.left(q, false)
		r.adapters.runs(q.Info.Adapter, -1)
		if q.Job {
			r.port.jobs--
		}
	}
	q.MoveTo(request.None)
	if failed {
		q.Source = 0
	}
	if !holds || failed {
		return
	}
	used := r.cache.Used()
	if q.Source != 0 {
		r.tiers.cancelCopies(q)
	}
	r.cache.Release(q.Blocks)
	r.blocksReleased(used)
}

// take takes a request off a batch that may be in the middle of a step, whose
// duration stays.
func (b *batch) take(id int32) {
	b.remove(id)
	b.prefilling = slices.DeleteFunc(b.prefilling, func(other int32) bool { return other == id })
}

// reset makes a replica a new one, idle, at the same place.
func (r *replica) reset() {
	r.settleGauges()
	if r.stepping {
		r.use.Busy += r.now.Sub(max(r.stepStart, r.use.Since))
	}
	if r.fabric != nil {
		r.cancelTransfers(func(d transferHandler) bool { return d.of() == r.index })
	}
	r.use.Changed(r.now, r.cache.Used(), 0)
	r.use.Lost += r.cache.Evictions()
	r.empty()
	r.cacheEvents.restarted(r)
	if r.exports != nil {
		r.exports.restart()
	}
	r.advisor = r.advisor.again(r, r.now)
	if r.tiers != nil {
		r.tiers.empty(r.now)
	}
	r.lockStep.reset()
	r.cluster.reorder(r)
}

// cancelTransfers takes those transfers of a replica's fabric back for which drop is
// true, in order of ID.
func (r *replica) cancelTransfers(drop func(transferHandler) bool) {
	var ids []transfer.ID
	f := r.fabric
	for i, d := range f.handlers {
		if d != nil && drop(d) {
			d.cancel(r.cluster)
			ids = append(ids, f.first+transfer.ID(i))
		}
	}
	for _, id := range ids {
		r.cluster.abort(f, id)
	}
}

// stepWithout takes a request out of step, be it in the middle of one.
func (r *replica) stepWithout(q *request.Request, id int32) {
	r.leaveStep(q)
	r.batch.forget(id)
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

// stop takes all requests off a replica that is there no more, and returns them in order
// of arrival.
func (c *cluster) stop(r *replica) []int32 {
	lost := c.dependents(r)
	if len(r.batch.running) > 0 {
		r.takeAllOutOfStep()
	}
	for _, id := range lost {
		c.takeOffReplicas(r, id)
	}
	r.reset()
	return lost
}
