// SPDX-License-Identifier: Apache-2.0

package simulator

// scheduleCarefully gives the running requests their share of the budget and
// their blocks one by one, in order of admission. Where blocks run out a
// request is preempted, which may be the very one that needs them; the others
// go on. It returns the rest of the budget and whether anyone was preempted: no
// request is admitted in such a step, as it would take the blocks that were
// just made free.
//
// All that run are in prefilling then, for want of a request in step.
func (s *simulation) scheduleCarefully(r *replica) (budget int32, preempted bool) {
	b := &r.batch
	s.separate(r)
	for _, id := range b.running {
		s.requests.all[id].chunk = 0
	}
	budget = r.maxTokens
	for i := 0; i < len(b.running) && budget > 0; i++ {
		q := &s.requests.all[b.running[i]]
		n := min(q.total-q.computed, r.longPrefill, budget)
		for !r.cache.Extend(q.blocks, int(q.computed+n)) {
			victim := s.victim(r)
			id := b.running[victim]
			budget += s.requests.all[id].chunk
			s.preempt(r, victim)
			preempted = true
			if victim < i {
				i--
			}
			if victim == i && &s.requests.all[id] == q {
				b.prefilling = append(b.prefilling[:0], b.running...)
				return budget, true
			}
		}
		q.chunk = n
		budget -= n
	}
	b.prefilling = append(b.prefilling[:0], b.running...)
	return budget, preempted
}

// victim returns the place in the batch of the request that gives way.
func (s *simulation) victim(r *replica) int {
	running := r.batch.running
	last := len(running) - 1
	if !r.scheduler.PreemptsByRank() {
		return last
	}
	worst, at := s.ticket(r, running[last]), last
	for i, id := range running {
		if t := s.ticket(r, id); worst.before(t) {
			worst, at = t, i
		}
	}
	return at
}

func (s *simulation) ticket(r *replica, id int32) ticket {
	q := &s.requests.all[id]
	return ticket{rank: r.rank(q), turn: q.turn, id: id}
}

// preempt takes a request off the batch and puts it back into the wait queue.
// It keeps the tokens it has generated and loses its KV, save for what the
// prefix cache still holds when it comes back.
func (s *simulation) preempt(r *replica, victim int) {
	b := &r.batch
	id := b.running[victim]
	q := &s.requests.all[id]
	b.running = append(b.running[:victim], b.running[victim+1:]...)
	r.cache.Release(q.blocks)
	q.high = max(q.high, q.computed)
	q.computed, q.chunk = 0, 0
	q.phase = phaseWaiting
	r.waiting.pushFront(s.ticket(r, id))
	r.use.Preemptions++
	s.metrics.cells[q.cell].Preemptions++
	for _, o := range s.observers {
		o.preempted(s, r, id)
	}
}

// regroup puts all requests that got a token in the step that has just ended
// in step again. Those that did not, though they decode, make the next step a
// careful one too.
func (s *simulation) regroup(r *replica) {
	b := &r.batch
	b.careful = false
	b.prefilling = b.prefilling[:0]
	for _, id := range b.running {
		q := &s.requests.all[id]
		if q.decoding() && q.lastToken == s.now {
			r.join(q, id)
			continue
		}
		b.careful = b.careful || q.decoding()
		b.prefilling = append(b.prefilling, id)
	}
}
