// SPDX-License-Identifier: Apache-2.0

package simulator

// resumeLater puts a request back into the queue whose KV has come, in the place
// that it had.
func (s *simulation) resumeLater(r *replica, id int32) {
	q := &s.requests.all[id]
	q.moveTo(phaseWaiting)
	q.holding = true
	r.port.loading--
	r.waiting.insert(s.ticket(id))
	s.wake(r)
}

// resume gives a request whose KV has come blocks for its next chunk.
func (s *simulation) resume(r *replica, q *request, budget int32) bool {
	n := min(q.total-q.computed, r.longPrefill, budget)
	if !r.cache.Extend(q.blocks, int(q.computed+n)) {
		return false
	}
	q.holding, q.chunk = false, n
	r.advisor.resumed()
	return true
}

// cancelOngoing takes back what is under way for a request that gives its blocks up, and
// what it was promised.
func (s *simulation) cancelOngoing(r *replica, q *request) {
	if q.source != 0 {
		s.cancelCopies(r, q)
	}
	switch {
	case q.handoff == 0:
	case !q.job:
		s.cancelHandoff(s.handoffs.of(q))
	case q.phase == phaseRunning:
		r.port.jobs--
		if h := s.handoffs.of(q); h.asked {
			s.restartHandoff(h)
		}
	}
}

// releaseBlocks frees a request's blocks, and their content too if it is to be dropped.
// Those that are being copied stay until that is done.
func (s *simulation) releaseBlocks(r *replica, q *request, drop bool) {
	switch {
	case q.source != 0:
		r.cache.Rest(q.blocks)
		r.tiers.detach(q, drop)
	case drop:
		r.cache.Discard(q.blocks)
	default:
		r.cache.Release(q.blocks)
	}
}

// blocksReleased tells of blocks that were given up outside of the replica's own steps.
func (s *simulation) blocksReleased(r *replica, before int) {
	if now := r.cache.Used(); now != before {
		r.use.changed(s.now, before, now)
	}
	if r.waiting.len() > 0 {
		s.wake(r)
	}
}
