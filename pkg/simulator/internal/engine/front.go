// SPDX-License-Identifier: Apache-2.0

package engine

import "windtunnel.dev/windtunnel/pkg/simulator/internal/queue"

// Front returns the request whose turn it is, now.
func (r *Replica) Front() int32 {
	if r.Waiting.Moves() {
		r.service.Settle(r.Batch.steps)
		r.Waiting.Choose(r.comesBefore)
	}
	return r.Waiting.Front()
}

// comesBefore reports whether a request is to be served before another one, now.
func (r *Replica) comesBefore(a, b queue.Ticket) bool {
	if m := r.Scheduler.Moving; m != nil && a.Group != b.Group {
		x, y := m.Rank(r.JobOf(&r.Requests.All[a.Id]), r.Now), m.Rank(r.JobOf(&r.Requests.All[b.Id]), r.Now)
		if x != y {
			return x < y
		}
	}
	return a.Before(b)
}

// QueueInOrder returns the wait queue from front to back, as it stands now.
func (r *Replica) QueueInOrder() []queue.Ticket {
	r.service.Settle(r.Batch.steps)
	return r.Waiting.InOrder(r.comesBefore)
}
