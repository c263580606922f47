// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// plainQueueWatch is what the order of a queue has done to those who waited.
type plainQueueWatch struct {
	did     QueueUse
	blocked bool
	since   simtime.Time
}

func (r *plainReplica) queued() []*plainRequest { return slices.Concat(r.passedBy, r.waiting) }

// countInversion looks for somebody who waits and should have come before a request
// that has been admitted.
func (r *plainReplica) countInversion(q *plainRequest) {
	if slices.ContainsFunc(r.queued(), func(o *plainRequest) bool {
		return o.info.Priority > q.info.Priority && o.turn < q.turn
	}) {
		r.did.Inversions++
	}
}

// watchFront notes whether somebody would fit where the front of the queue does not.
func (r *plainReplica) watchFront(now simtime.Time, budget int32) {
	fits := func(q *plainRequest) bool {
		tokens := q.total - q.computed
		if !r.ReserveFullPrompt {
			tokens = min(r.capped(tokens), budget)
		}
		return blocksOf(tokens, r) <= len(r.cache.Free())
	}
	if !fits(r.waiting[0]) && slices.ContainsFunc(r.queued(), fits) {
		r.blocked, r.since = true, now
	}
}

func (r *plainReplica) endBlocked(now simtime.Time) {
	if r.blocked {
		r.did.Blocked += now.Sub(r.since)
		r.blocked = false
	}
}

func (r *plainReplica) restartWatch(now simtime.Time) {
	r.did, r.since = QueueUse{}, now
}

func (r *plainReplica) reportQueue(now simtime.Time) *QueueUse {
	r.endBlocked(now)
	if !r.WatchQueue {
		return nil
	}
	return &r.did
}
