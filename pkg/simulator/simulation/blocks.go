// SPDX-License-Identifier: Apache-2.0

package simulation

import "windtunnel.dev/windtunnel/pkg/simulator/internal/request"

// resumeLater puts a request back into the queue whose KV has come, in the place
// that it had.
func (r *replica) resumeLater(id int32) {
	r.settleGauges()
	q := &r.requests.All[id]
	q.MoveTo(request.Ready)
	r.joined(q)
	r.port.loading--
	r.port.holding++
	r.waiting.Insert(r.ticket(id))
	r.watchWaiting(q, id)
	r.wake()
}

// resume gives a request whose KV has come blocks for its next chunk.
func (r *replica) resume(q *request.Request, budget int32) bool {
	n := min(q.Total-q.Computed, r.chunkLimit(q), budget)
	if !r.extend(q, n) {
		return false
	}
	q.Chunk = n
	r.port.holding--
	r.advisor.resumed()
	return true
}

// cancelOngoing takes back what is under way for a request that gives its blocks up, and
// what it was promised.
func (r *replica) cancelOngoing(q *request.Request) {
	if q.Source != 0 {
		r.tiers.cancelCopies(q)
	}
	switch {
	case q.Handoff == 0:
	case !q.Job:
		r.cluster.cancelHandoff(r.cluster.handoffs.of(q))
	case q.Phase() == request.Running:
		r.port.jobs--
		if h := r.cluster.handoffs.of(q); h.asked {
			r.cluster.restartHandoff(h)
		}
	}
}

// releaseBlocks frees a request's blocks, and their content too if it is to be dropped.
// Those that are being copied stay until that is done.
func (r *replica) releaseBlocks(q *request.Request, drop bool) {
	switch {
	case q.Source != 0:
		r.cache.StopDecode(q.Blocks)
		r.tiers.detach(q, drop)
	case drop:
		r.cache.Discard(q.Blocks)
	default:
		r.cache.Release(q.Blocks)
	}
}

// blocksReleased tells of blocks that were given up outside of the replica's own steps.
func (r *replica) blocksReleased(before int) {
	if now := r.cache.Used(); now != before {
		r.use.Changed(r.now, before, now)
	}
	if r.waiting.Len() > 0 {
		r.wake()
	}
}
