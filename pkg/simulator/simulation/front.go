// SPDX-License-Identifier: Apache-2.0

package simulation

// front returns the request whose turn it is, now.
func (r *replica) front() int32 {
	if r.waiting.moves() {
		r.service.settle(r.batch.steps)
		r.waiting.choose(r.comesBefore)
	}
	return r.waiting.front()
}

// comesBefore reports whether a request is to be served before another one, now.
func (r *replica) comesBefore(a, b ticket) bool {
	if m := r.scheduler.Moving; m != nil && a.group != b.group {
		x, y := m.Rank(r.jobOf(&r.requests.all[a.id]), r.now), m.Rank(r.jobOf(&r.requests.all[b.id]), r.now)
		if x != y {
			return x < y
		}
	}
	return a.before(b)
}

// queueInOrder returns the wait queue from front to back, as it stands now.
func (r *replica) queueInOrder() []ticket {
	r.service.settle(r.batch.steps)
	return r.waiting.inOrder(r.comesBefore)
}
