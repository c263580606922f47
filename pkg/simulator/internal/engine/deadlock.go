// SPDX-License-Identifier: Apache-2.0

package engine

import "windtunnel.dev/windtunnel/pkg/simulator/internal/request"

// unblock lets a replica go on that cannot: nothing runs or is on its way, and
// those that hold blocks while they wait leave too few for the first in the
// queue. The last of them starts anew. It returns false if there is no such request.
func (s *stepper) unblock() bool {
	if s.Fabric == nil || len(s.Batch.Running) > 0 || s.Waiting.Len() == 0 || s.Loading > 0 {
		return false
	}
	if s.Tiers != nil && s.Tiers.Frees() || s.Adapters.loading(s.Now) {
		return false
	}
	return s.takeBlocksFromWaiting(1) || s.cancelLastHandoff()
}

// freeBlocks lets a request that does not run give up blocks for the only one that
// does: a request that would preempt itself for their sake comes back to where
// it was. It returns false if there is no such request.
func (s *stepper) freeBlocks() bool {
	return s.takeBlocksFromWaiting(0) || s.Tiers != nil && (s.cancelLastLoad() || s.Tiers.EndLastCopies()) || s.cancelLastHandoff()
}

// takeBlocksFromWaiting takes the blocks of the last in the queue that has some, leaving out
// a number at the front. It returns false if there is no such request.
func (s *stepper) takeBlocksFromWaiting(front int) bool {
	if s.Fabric == nil || s.Holding == 0 {
		return false
	}
	order := s.QueueInOrder()
	for i := len(order) - 1; i >= front; i-- {
		id := order[i].Id
		q := &s.Requests.All[id]
		if q.Phase() != request.Ready {
			continue
		}
		s.cancelOngoing(q)
		s.Cache.Release(q.Blocks)
		s.watch.leaves(q, id)
		q.MoveTo(request.Waiting)
		q.Computed = 0
		s.Holding--
		s.watchWaiting(q, id)
		return true
	}
	return false
}

// cancelLastHandoff ends the last hand-over from the replica that waits for room
// elsewhere, unless others are on their way and will free blocks.
func (s *stepper) cancelLastHandoff() bool {
	return s.Fabric != nil && s.cluster.Handoffs.CancelLast(&s.Port)
}

// cancelLastLoad sends the last of those back to the queue that wait for blocks from
// lower tiers.
func (s *stepper) cancelLastLoad() bool {
	last := s.last(func(q *request.Request) bool {
		return q.Phase() == request.Loading && q.Replica == s.Index && q.Loads > 0
	})
	if last == none {
		return false
	}
	q := &s.Requests.All[last]
	s.Loading--
	s.Tiers.CancelLoads(last)
	s.Cache.Release(q.Blocks)
	q.MoveTo(request.Waiting)
	q.Computed, q.Loads = 0, 0
	s.waitAgain(q, last)
	return true
}

// cancelOngoing takes back what is under way for a request that gives its blocks up, and
// what it was promised.
func (s *stepper) cancelOngoing(q *request.Request) {
	if q.Source != 0 {
		s.Tiers.CancelCopies(q)
	}
	switch {
	case q.Handoff == 0:
	case !q.Job:
		s.cluster.Handoffs.Cancel(q)
	case q.Phase() == request.Running:
		s.cluster.Handoffs.Restart(q)
	}
}
