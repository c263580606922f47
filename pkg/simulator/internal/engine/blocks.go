// SPDX-License-Identifier: Apache-2.0

package engine

import "windtunnel.dev/windtunnel/pkg/simulator/internal/request"

// resumeLater puts a request back into the queue whose KV has come, in the place
// that it had.
func (r *Replica) resumeLater(id int32) {
	r.settleGauges()
	q := &r.Requests.All[id]
	q.MoveTo(request.Ready)
	r.joined(q)
	r.Port.Loading--
	r.Port.Holding++
	r.Waiting.Insert(r.ticket(id))
	r.watchWaiting(q, id)
	r.wake()
}

// resume gives a request whose KV has come blocks for its next chunk.
func (r *Replica) resume(q *request.Request, budget int32) bool {
	n := min(q.Total-q.Computed, r.chunkLimit(q), budget)
	if !r.extend(q, n) {
		return false
	}
	q.Chunk = n
	r.Port.Holding--
	r.Advisor.resumed()
	return true
}

// cancelOngoing takes back what is under way for a request that gives its blocks up, and
// what it was promised.
func (r *Replica) cancelOngoing(q *request.Request) {
	if q.Source != 0 {
		r.Tiers.cancelCopies(q)
	}
	switch {
	case q.Handoff == 0:
	case !q.Job:
		r.Cluster.cancelHandoff(r.Cluster.Handoffs.Of(q))
	case q.Phase() == request.Running:
		r.Port.Jobs--
		if h := r.Cluster.Handoffs.Of(q); h.asked {
			r.Cluster.restartHandoff(h)
		}
	}
}

// releaseBlocks frees a request's blocks, and their content too if it is to be dropped.
// Those that are being copied stay until that is done.
func (r *Replica) releaseBlocks(q *request.Request, drop bool) {
	switch {
	case q.Source != 0:
		r.Cache.StopDecode(q.Blocks)
		r.Tiers.detach(q, drop)
	case drop:
		r.Cache.Discard(q.Blocks)
	default:
		r.Cache.Release(q.Blocks)
	}
}

// blocksReleased tells of blocks that were given up outside of the replica's own steps.
func (r *Replica) blocksReleased(before int) {
	if now := r.Cache.Used(); now != before {
		r.Use.Changed(r.Now, before, now)
	}
	if r.Waiting.Len() > 0 {
		r.wake()
	}
}
