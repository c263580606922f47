// SPDX-License-Identifier: Apache-2.0

package engine

import "windtunnel.dev/windtunnel/pkg/simulator/internal/request"

// unblock lets a replica go on that cannot: nothing runs or is on its way, and
// those that hold blocks while they wait leave too few for the first in the
// queue. The last of them starts anew. It returns false if there is no such request.
func (r *Replica) unblock() bool {
	if r.Fabric == nil || len(r.Batch.Running) > 0 || r.Waiting.Len() == 0 || r.Loading > 0 {
		return false
	}
	if r.Tiers != nil && r.Tiers.Frees() || r.Adapters.loading(r.Now) {
		return false
	}
	return r.takeBlocksFromWaiting(1) || r.cancelLastHandoff()
}

// freeBlocks lets a request that does not run give up blocks for the only one that
// does: a request that would preempt itself for their sake comes back to where
// it was. It returns false if there is no such request.
func (r *Replica) freeBlocks() bool {
	return r.takeBlocksFromWaiting(0) || r.Tiers != nil && (r.cancelLastLoad() || r.Tiers.EndLastCopies()) || r.cancelLastHandoff()
}

// takeBlocksFromWaiting takes the blocks of the last in the queue that has some, leaving out
// a number at the front. It returns false if there is no such request.
func (r *Replica) takeBlocksFromWaiting(front int) bool {
	if r.Fabric == nil || r.Holding == 0 {
		return false
	}
	order := r.QueueInOrder()
	for i := len(order) - 1; i >= front; i-- {
		id := order[i].Id
		q := &r.Requests.All[id]
		if q.Phase() != request.Ready {
			continue
		}
		r.cancelOngoing(q)
		r.Cache.Release(q.Blocks)
		r.Watch.leaves(q, id)
		q.MoveTo(request.Waiting)
		q.Computed = 0
		r.Holding--
		r.watchWaiting(q, id)
		return true
	}
	return false
}

// cancelLastHandoff ends the last hand-over from the replica that waits for room
// elsewhere, unless others are on their way and will free blocks.
func (r *Replica) cancelLastHandoff() bool {
	return r.Fabric != nil && r.Cluster.Handoffs.CancelLast(&r.Port)
}

// cancelLastLoad sends the last of those back to the queue that wait for blocks from
// lower tiers.
func (r *Replica) cancelLastLoad() bool {
	last := int32(none)
	r.service.Settle(r.Batch.steps)
	for i := range r.Requests.All {
		q := &r.Requests.All[i]
		if q.Phase() == request.Loading && q.Replica == r.Index && q.Loads > 0 &&
			(last == none || r.comesBefore(r.Ticket(last), r.Ticket(int32(i)))) {
			last = int32(i)
		}
	}
	if last == none {
		return false
	}
	q := &r.Requests.All[last]
	r.Loading--
	r.Tiers.CancelLoads(last)
	r.Cache.Release(q.Blocks)
	q.MoveTo(request.Waiting)
	q.Computed, q.Loads = 0, 0
	r.Waiting.Insert(r.Ticket(last))
	r.watchWaiting(q, last)
	return true
}

// Excused says whether a replica may idle though requests wait: they wait for
// blocks that are being copied or handed over, for an adapter that is being
// loaded, or for another replica.
func (c *Cluster) Excused(r *Replica) bool {
	if r.Loading > 0 || r.Adapters.loading(c.Now) {
		return true
	}
	if r.Tiers != nil && r.Tiers.Frees() {
		return true
	}
	for i := range c.Requests.All {
		if j := &c.Requests.All[i]; j.Job && j.Replica == r.Index && j.Phase() == request.Leaving {
			return true
		}
	}
	return false
}
