// SPDX-License-Identifier: Apache-2.0

package simulator

// unblock lets a replica go on that cannot: nothing runs or is on its way, and
// those that hold blocks while they wait leave too few for the first in the
// queue. The last of them starts anew. It returns false where there is nobody.
func (s *simulation) unblock(r *replica) bool {
	if r.fabric == nil || len(r.batch.running) > 0 || r.waiting.len() == 0 || r.port.loading > 0 {
		return false
	}
	if r.tiers != nil && r.tiers.frees() || r.adapters.loading(s.now) {
		return false
	}
	return s.takeBlocksFromWaiting(r, 1) || s.cancelLastHandoff(r)
}

// freeBlocks lets somebody who does not run give up blocks for the only one that
// does: a request that would preempt itself for their sake comes back to where
// it was. It returns false where there is nobody.
func (s *simulation) freeBlocks(r *replica) bool {
	return s.takeBlocksFromWaiting(r, 0) || r.tiers != nil && (s.cancelLastLoad(r) || s.endLastSpill(r) || s.endLastCopies(r)) || s.cancelLastHandoff(r)
}

// takeBlocksFromWaiting takes the blocks of the last in the queue that has some, leaving out
// so many at the front. It returns false where there is nobody.
func (s *simulation) takeBlocksFromWaiting(r *replica, front int) bool {
	if r.fabric == nil {
		return false
	}
	order := r.waiting.inOrder()
	for i := len(order) - 1; i >= front; i-- {
		q := &s.requests.all[order[i].id]
		if !q.holding {
			continue
		}
		s.cancelOngoing(r, q)
		r.cache.Release(q.blocks)
		q.holding, q.computed = false, 0
		return true
	}
	return false
}

// cancelLastHandoff ends the last hand-over from the replica that waits for room
// elsewhere, unless others are on their way and will free blocks.
func (s *simulation) cancelLastHandoff(r *replica) bool {
	if r.fabric == nil {
		return false
	}
	var last *handoff
	for i := range s.requests.all {
		j := &s.requests.all[i]
		if !j.job || j.replica != r.index || j.phase != phaseLeaving {
			continue
		}
		h := s.handoffs.of(j)
		if h.reserved {
			return false
		}
		if last == nil || h.done > last.done || h.done == last.done && j.info.ID > s.requests.all[last.job].info.ID {
			last = h
		}
	}
	if last == nil {
		return false
	}
	to := &s.replicas[last.to]
	s.cancelHandoff(last)
	s.wake(to)
	return true
}

// cancelLastLoad sends the last of those back to the queue that wait for blocks from
// lower tiers.
func (s *simulation) cancelLastLoad(r *replica) bool {
	last := int32(none)
	for i := range s.requests.all {
		q := &s.requests.all[i]
		if q.phase == phaseLoading && q.replica == r.index && q.loads > 0 &&
			(last == none || s.ticket(last).before(s.ticket(int32(i)))) {
			last = int32(i)
		}
	}
	if last == none {
		return false
	}
	q := &s.requests.all[last]
	r.port.loading--
	s.cancelTransfers(r, func(d transferHandler) bool { l, ok := d.(*load); return ok && l.request == last })
	r.cache.Release(q.blocks)
	q.moveTo(phaseWaiting)
	q.computed, q.loads = 0, 0
	r.waiting.insert(s.ticket(last))
	return true
}

// none is no request's number.
const none = -1

// endLastSpill empties the blocks at once that were spilled last.
func (s *simulation) endLastSpill(r *replica) bool {
	l := r.tiers
	if len(l.spills) == 0 {
		return false
	}
	c := l.spills[len(l.spills)-1]
	s.abort(r.fabric, c.id)
	c.cancel(s)
	s.endSpill(r, c)
	return true
}

// endLastCopies frees the blocks at once of the last request that left some to be
// copied.
func (s *simulation) endLastCopies(r *replica) bool {
	l := r.tiers
	if len(l.detached) == 0 {
		return false
	}
	at := l.detached[len(l.detached)-1]
	for _, c := range l.sources[at].copies {
		s.abort(r.fabric, c.id)
		c.cancel(s)
	}
	s.releaseDetached(r, at)
	return true
}
