// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/queue"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// endStep makes the results of the step under way take hold: chunks become
// computed tokens, requests whose prompt is complete get a token, finished
// requests leave and free their blocks, in order of admission.
func (r *Replica) endStep() {
	b := &r.Batch
	b.steps++
	b.leaving = b.leaving[:0]
	r.cacheEvents.computed()
	r.endDecodes()
	r.endChunks()
	r.endFinished()
	r.Use.Stepped(r.StepStart, r.Now)
	r.Stepping, r.stepEnd = false, r.Now
	if r.asynchronous {
		r.closeSchedule()
	}
}

// endDecodes gives each request in step its token.
func (r *Replica) endDecodes() {
	b := &r.Batch
	if b.decodes == 0 {
		return
	}
	r.decode(r.Now)
	if len(r.Observers) > 0 {
		r.showDecodes()
	}
	for len(b.done) > 0 && b.done[0].step == b.steps {
		id := b.done[0].id
		last := len(b.done) - 1
		b.done[0] = b.done[last]
		b.done = b.done[:last]
		queue.SiftDown(b.done)
		r.leaveStep(&r.Requests.All[id])
		b.leaving = append(b.leaving, id)
	}
}

// decode counts the tokens that requests in step get when a step ends.
func (r *Replica) decode(now simtime.Time) {
	b := &r.Batch
	b.context += int64(b.decodes)
	r.Exports.tokens(now.Sub(r.stepEnd), int64(b.decodes))
	gap := int64(now.Sub(r.stepEnd) + r.Cost.PerOutputToken)
	for _, share := range b.shares {
		if share.count > 0 {
			r.Metrics.Tokens(now, share.cell, gap, share.count)
		}
	}
}

// showDecodes tells those who watch of the tokens of a step.
func (r *Replica) showDecodes() {
	r.catchUpAll()
	for _, id := range r.Batch.Running {
		if q := &r.Requests.All[id]; q.InStep {
			for _, o := range r.Observers {
				o.Token(id, 1, r.AtGateway(r.Now, q))
			}
		}
	}
}

// endChunks applies the chunks of the step.
func (r *Replica) endChunks() {
	b := &r.Batch
	kept := b.prefilling[:0]
	for _, id := range b.prefilling {
		q := &r.Requests.All[id]
		switch {
		case q.Chunk == 0 || !r.endChunk(id, q):
			kept = append(kept, id)
		case q.Total == q.Finish:
			b.leaving = append(b.leaving, id)
		case b.constrained || q.Incomplete:
			// The next step's regroup joins it with the others, or a later one
			// when all of its KV has come.
			kept = append(kept, id)
		default:
			r.joinStep(q, id)
		}
	}
	b.prefilling = kept
}

// endChunk applies one request's chunk and reports whether a token came out of
// it.
func (r *Replica) endChunk(id int32, q *request.Request) bool {
	end, prefill := q.Computed+q.Chunk, !q.Decoding()
	if !prefill && r.Speculates() {
		r.verify(id, q)
		return true
	}
	if q.Computed < q.High {
		r.Metrics.Cells[q.Cell].RecomputedTokens += int64(min(end, q.High) - q.Computed)
	}
	q.Computed, q.Chunk = end, 0
	if q.Job {
		r.Cluster.Handoffs.Computed(q)
	}
	if end < q.Total {
		return false
	}
	if prefill && r.Tiers != nil {
		r.Tiers.CopyDown(id, q)
	}
	if q.Job {
		r.Exports.firstToken(r.Now, q)
		return true
	}
	q.Total++
	r.token(id, q, 1)
	return true
}

// token stamps the n tokens that the engine has just given, at once: more than one after
// the first.
func (r *Replica) token(id int32, q *request.Request, n int32) {
	previous := q.LastToken
	q.LastToken = r.Now
	if previous == request.Unset || q.Moved {
		r.Exports.firstToken(r.Now, q)
	} else {
		r.Exports.tokens(r.Now.Sub(previous), 1)
	}
	r.service.Add(q.Info.Tenant, int64(n))
	if previous == request.Unset {
		q.FirstToken = r.AtGateway(r.Now, q)
		r.Metrics.FirstToken(r.Now, q)
		r.Cluster.Gateway.DeliverFirstToken(id, q, q.FirstToken)
	} else {
		r.Metrics.Burst(r.Now, q.Cell, int64(r.Now.Sub(previous)+r.Cost.PerOutputToken*time.Duration(n)), int64(n))
		if q.Moved {
			r.Cluster.Gateway.DeliverFirstToken(id, q, r.AtGateway(r.Now, q))
		}
	}
	q.Moved = false
	for _, o := range r.Observers {
		o.Token(id, n, r.AtGateway(r.Now, q))
	}
}

// endFinished lets the requests go that have given their last token.
func (r *Replica) endFinished() {
	b := &r.Batch
	if len(b.leaving) == 0 {
		return
	}
	if len(b.leaving) > 1 {
		slices.SortFunc(b.leaving, func(x, y int32) int {
			return int(r.Requests.All[x].Admitted - r.Requests.All[y].Admitted)
		})
	}
	used := r.Cache.Used()
	if r.Fabric != nil {
		// Hand-overs that end here tell of their own blocks.
		r.Use.Settle(r.Now, used)
	}
	for _, id := range b.leaving {
		q := &r.Requests.All[id]
		b.remove(id)
		r.Adapters.runs(q.Info.Adapter, -1)
		r.left(q, false)
		r.Advisor.completed(r, q, r.Now)
		r.Exports.finish()
		r.Use.Served++
		r.Use.ServedTokens += int64(q.Total)
		if q.Job {
			r.Cluster.Handoffs.Prefilled(q)
			continue
		}
		if r.Tiers != nil {
			r.Tiers.CopyDown(id, q)
		}
		if q.Handoff != 0 {
			r.Cluster.Handoffs.Cancel(q)
		}
		q.MoveTo(request.Leaving)
		r.releaseBlocks(q, false)
		r.CountServing(-1)
		r.Cluster.Gateway.DeliverEnd(r, id, q)
	}
	r.Use.Changed(r.Now, used, r.Cache.Used())
}
