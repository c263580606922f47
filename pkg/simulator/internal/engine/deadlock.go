// SPDX-License-Identifier: Apache-2.0

package engine

import "windtunnel.dev/windtunnel/pkg/simulator/internal/request"

// unblock lets a replica go on that cannot: nothing runs or is on its way, and
// those that hold blocks while they wait leave too few for the first in the
// queue. The last of them starts anew. It returns false where there is nobody.
func (r *Replica) unblock() bool {
	if r.Fabric == nil || len(r.Batch.Running) > 0 || r.Waiting.Len() == 0 || r.Port.Loading > 0 {
		return false
	}
	if r.Tiers != nil && r.Tiers.Frees() || r.Adapters.loading(r.Now) {
		return false
	}
	return r.takeBlocksFromWaiting(1) || r.cancelLastHandoff()
}

// freeBlocks lets somebody who does not run give up blocks for the only one that
// does: a request that would preempt itself for their sake comes back to where
// it was. It returns false where there is nobody.
func (r *Replica) freeBlocks() bool {
	return r.takeBlocksFromWaiting(0) || r.Tiers != nil && (r.Tiers.cancelLastLoad() || r.Tiers.endLastCopies()) || r.cancelLastHandoff()
}

// takeBlocksFromWaiting takes the blocks of the last in the queue that has some, leaving out
// so many at the front. It returns false where there is nobody.
func (r *Replica) takeBlocksFromWaiting(front int) bool {
	if r.Fabric == nil || r.Port.Holding == 0 {
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
		r.Port.Holding--
		r.watchWaiting(q, id)
		return true
	}
	return false
}

// cancelLastHandoff ends the last hand-over from the replica that waits for room
// elsewhere, unless others are on their way and will free blocks.
func (r *Replica) cancelLastHandoff() bool {
	if r.Fabric == nil {
		return false
	}
	var last *handoff
	for _, id := range r.Port.Leaving {
		j := &r.Requests.All[id]
		h := r.Cluster.Handoffs.Of(j)
		if h.Reserved {
			return false
		}
		if last == nil || h.Done > last.Done || h.Done == last.Done && j.Info.ID > r.Requests.All[last.job].Info.ID {
			last = h
		}
	}
	if last == nil {
		return false
	}
	to := &r.Cluster.Replicas[last.to]
	r.Cluster.cancelHandoff(last)
	to.wake()
	return true
}

// cancelLastLoad sends the last of those back to the queue that wait for blocks from
// lower tiers.
func (l *tierSet) cancelLastLoad() bool {
	last := int32(none)
	l.replica.service.Settle(l.replica.Batch.steps)
	for i := range l.replica.Requests.All {
		q := &l.replica.Requests.All[i]
		if q.Phase() == request.Loading && q.Replica == l.replica.Index && q.Loads > 0 &&
			(last == none || l.replica.comesBefore(l.replica.ticket(last), l.replica.ticket(int32(i)))) {
			last = int32(i)
		}
	}
	if last == none {
		return false
	}
	q := &l.replica.Requests.All[last]
	l.replica.Port.Loading--
	l.replica.cancelTransfers(func(d transferHandler) bool { l, ok := d.(*load); return ok && l.request == last })
	l.replica.Cache.Release(q.Blocks)
	q.MoveTo(request.Waiting)
	q.Computed, q.Loads = 0, 0
	l.replica.Waiting.Insert(l.replica.ticket(last))
	l.replica.watchWaiting(q, last)
	return true
}

// endLastCopies frees the blocks at once of the last request that left some to be
// copied.
func (l *tierSet) endLastCopies() bool {
	if len(l.detached) == 0 {
		return false
	}
	at := l.detached[len(l.detached)-1]
	for _, c := range l.sources[at].copies {
		l.replica.Cluster.abort(l.replica.Fabric, c.id)
		c.cancel(l.replica.Cluster)
	}
	l.releaseDetached(at)
	return true
}

// Excused says whether a replica may idle though requests wait: they wait for
// blocks that are being copied or handed over, for an adapter that is being
// loaded, or for another replica.
func (c *Cluster) Excused(r *Replica) bool {
	if r.Port.Loading > 0 || r.Adapters.loading(c.Now) {
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
