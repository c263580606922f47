// SPDX-License-Identifier: Apache-2.0

package simulation

import "windtunnel.dev/windtunnel/pkg/simulator/internal/queue"

// front returns the request whose turn it is, now.
func (r *replica) front() int32 {
	if r.waiting.Moves() {
		r.service.Settle(r.batch.steps)
		r.waiting.Choose(r.comesBefore)
	}
	return r.waiting.Front()
}

// comesBefore reports whether a request is to be served before another one, now.
func (r *replica) comesBefore(a, b queue.Ticket) bool {
	if m := r.scheduler.Moving; m != nil && a.Group != b.Group {
		x, y := m.Rank(r.jobOf(&r.requests.All[a.Id]), r.now), m.Rank(r.jobOf(&r.requests.All[b.Id]), r.now)
		if x != y {
			return x < y
		}
	}
	return a.Before(b)
}

// queueInOrder returns the wait queue from front to back, as it stands now.
func (r *replica) queueInOrder() []queue.Ticket {
	r.service.Settle(r.batch.steps)
	return r.waiting.InOrder(r.comesBefore)
}
