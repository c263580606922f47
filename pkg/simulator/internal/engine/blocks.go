// SPDX-License-Identifier: Apache-2.0

package engine

import "windtunnel.dev/windtunnel/pkg/simulator/internal/request"

// Resume puts a request back into the queue whose KV has come, in the place
// that it had.
func (r *Replica) Resume(id int32) {
	r.settleGauges()
	q := &r.Requests.All[id]
	q.MoveTo(request.Ready)
	r.joined(q)
	r.Loading--
	r.Holding++
	r.Waiting.Insert(r.Ticket(id))
	r.watchWaiting(q, id)
	r.Wake()
}

// resume gives a request whose KV has come blocks for its next chunk.
func (r *Replica) resume(q *request.Request, budget int32) bool {
	n := min(q.Total-q.Computed, r.chunkLimit(q), budget)
	if !r.extend(q, n) {
		return false
	}
	q.Chunk = n
	r.Holding--
	r.Advisor.resumed()
	return true
}

// cancelOngoing takes back what is under way for a request that gives its blocks up, and
// what it was promised.
func (r *Replica) cancelOngoing(q *request.Request) {
	if q.Source != 0 {
		r.Tiers.CancelCopies(q)
	}
	switch {
	case q.Handoff == 0:
	case !q.Job:
		r.Cluster.Handoffs.Cancel(q)
	case q.Phase() == request.Running:
		r.Cluster.Handoffs.Restart(q)
	}
}

// releaseBlocks frees a request's blocks, and their content too if it is to be dropped.
// Those that are being copied stay until that is done.
func (r *Replica) releaseBlocks(q *request.Request, drop bool) {
	switch {
	case q.Source != 0:
		r.Cache.StopDecode(q.Blocks)
		r.Tiers.Detach(q, drop)
	case drop:
		r.Cache.Discard(q.Blocks)
	default:
		r.Cache.Release(q.Blocks)
	}
}

// ReleaseJob frees the blocks of a job whose prompt has been handed over, or never will.
func (r *Replica) ReleaseJob(job *request.Request, drop bool) {
	used := r.Cache.Used()
	r.releaseBlocks(job, drop)
	r.BlocksReleased(used)
}

// Publish lets other requests use the blocks of a request whose content has come.
func (r *Replica) Publish(q *request.Request) { r.Cache.Publish(q.Blocks) }

// BlocksReleased tells of blocks that were given up outside of the replica's own steps.
func (r *Replica) BlocksReleased(before int) {
	if now := r.Cache.Used(); now != before {
		r.Use.Changed(r.Now, before, now)
	}
	if r.Waiting.Len() > 0 {
		r.Wake()
	}
}
