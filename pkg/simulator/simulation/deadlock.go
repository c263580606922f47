// SPDX-License-Identifier: Apache-2.0

package simulation

import "windtunnel.dev/windtunnel/pkg/simulator/internal/request"

// unblock lets a replica go on that cannot: nothing runs or is on its way, and
// those that hold blocks while they wait leave too few for the first in the
// queue. The last of them starts anew. It returns false where there is nobody.
func (r *replica) unblock() bool {
	if r.fabric == nil || len(r.batch.running) > 0 || r.waiting.Len() == 0 || r.port.loading > 0 {
		return false
	}
	if r.tiers != nil && r.tiers.frees() || r.adapters.loading(r.now) {
		return false
	}
	return r.takeBlocksFromWaiting(1) || r.cancelLastHandoff()
}

// freeBlocks lets somebody who does not run give up blocks for the only one that
// does: a request that would preempt itself for their sake comes back to where
// it was. It returns false where there is nobody.
func (r *replica) freeBlocks() bool {
	return r.takeBlocksFromWaiting(0) || r.tiers != nil && (r.tiers.cancelLastLoad() || r.tiers.endLastCopies()) || r.cancelLastHandoff()
}

// takeBlocksFromWaiting takes the blocks of the last in the queue that has some, leaving out
// so many at the front. It returns false where there is nobody.
func (r *replica) takeBlocksFromWaiting(front int) bool {
	if r.fabric == nil || r.port.holding == 0 {
		return false
	}
	order := r.queueInOrder()
	for i := len(order) - 1; i >= front; i-- {
		id := order[i].Id
		q := &r.requests.All[id]
		if q.Phase() != request.Ready {
			continue
		}
		r.cancelOngoing(q)
		r.cache.Release(q.Blocks)
		r.watch.leaves(q, id)
		q.MoveTo(request.Waiting)
		q.Computed = 0
		r.port.holding--
		r.watchWaiting(q, id)
		return true
	}
	return false
}

// cancelLastHandoff ends the last hand-over from the replica that waits for room
// elsewhere, unless others are on their way and will free blocks.
func (r *replica) cancelLastHandoff() bool {
	if r.fabric == nil {
		return false
	}
	var last *handoff
	for _, id := range r.port.leaving {
		j := &r.requests.All[id]
		h := r.cluster.handoffs.of(j)
		if h.reserved {
			return false
		}
		if last == nil || h.done > last.done || h.done == last.done && j.Info.ID > r.requests.All[last.job].Info.ID {
			last = h
		}
	}
	if last == nil {
		return false
	}
	to := &r.cluster.replicas[last.to]
	r.cluster.cancelHandoff(last)
	to.wake()
	return true
}

// cancelLastLoad sends the last of those back to the queue that wait for blocks from
// lower tiers.
func (l *tierSet) cancelLastLoad() bool {
	last := int32(none)
	l.replica.service.Settle(l.replica.batch.steps)
	for i := range l.replica.requests.All {
		q := &l.replica.requests.All[i]
		if q.Phase() == request.Loading && q.Replica == l.replica.index && q.Loads > 0 &&
			(last == none || l.replica.comesBefore(l.replica.ticket(last), l.replica.ticket(int32(i)))) {
			last = int32(i)
		}
	}
	if last == none {
		return false
	}
	q := &l.replica.requests.All[last]
	l.replica.port.loading--
	l.replica.cancelTransfers(func(d transferHandler) bool { l, ok := d.(*load); return ok && l.request == last })
	l.replica.cache.Release(q.Blocks)
	q.MoveTo(request.Waiting)
	q.Computed, q.Loads = 0, 0
	l.replica.waiting.Insert(l.replica.ticket(last))
	l.replica.watchWaiting(q, last)
	return true
}

// none is no request's number.
const none = -1

// endLastCopies frees the blocks at once of the last request that left some to be
// copied.
func (l *tierSet) endLastCopies() bool {
	if len(l.detached) == 0 {
		return false
	}
	at := l.detached[len(l.detached)-1]
	for _, c := range l.sources[at].copies {
		l.replica.cluster.abort(l.replica.fabric, c.id)
		c.cancel(l.replica.cluster)
	}
	l.releaseDetached(at)
	return true
}

// excused says whether a replica may idle though requests wait: they wait for
// blocks that are being copied or handed over, for an adapter that is being
// loaded, or for another replica.
func (c *cluster) excused(r *replica) bool {
	if r.port.loading > 0 || r.adapters.loading(c.now) {
		return true
	}
	if r.tiers != nil && r.tiers.frees() {
		return true
	}
	for i := range c.requests.All {
		if j := &c.requests.All[i]; j.Job && j.Replica == r.index && j.Phase() == request.Leaving {
			return true
		}
	}
	return false
}
