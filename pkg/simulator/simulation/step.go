// SPDX-License-Identifier: Apache-2.0

package simulation

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
func (r *replica) endStep() {
	b := &r.batch
	b.steps++
	b.leaving = b.leaving[:0]
	r.cacheEvents.computed()
	r.endDecodes()
	r.endChunks()
	r.endFinished()
	r.use.Stepped(r.stepStart, r.now)
	r.stepping, r.stepEnd = false, r.now
	r.closeSchedule()
}

// endDecodes gives each request in step its token.
func (r *replica) endDecodes() {
	b := &r.batch
	if b.decodes == 0 {
		return
	}
	r.decode(r.now)
	if len(r.observers) > 0 {
		r.showDecodes()
	}
	for len(b.done) > 0 && b.done[0].step == b.steps {
		id := b.done[0].id
		last := len(b.done) - 1
		b.done[0] = b.done[last]
		b.done = b.done[:last]
		queue.SiftDown(b.done)
		r.leaveStep(&r.requests.All[id])
		b.leaving = append(b.leaving, id)
	}
}

// decode counts the tokens that requests in step get when a step ends.
func (r *replica) decode(now simtime.Time) {
	b := &r.batch
	b.context += int64(b.decodes)
	r.exports.tokens(now.Sub(r.stepEnd), int64(b.decodes))
	gap := int64(now.Sub(r.stepEnd) + r.cost.PerOutputToken)
	for _, share := range b.shares {
		if share.count > 0 {
			r.metrics.Tokens(now, share.cell, gap, share.count)
		}
	}
}

// showDecodes tells those who watch of the tokens of a step.
func (r *replica) showDecodes() {
	r.catchUpAll()
	for _, id := range r.batch.running {
		if q := &r.requests.All[id]; q.InStep {
			for _, o := range r.observers {
				o.Token(id, 1, r.atGateway(r.now, q))
			}
		}
	}
}

// endChunks applies the chunks of the step.
func (r *replica) endChunks() {
	b := &r.batch
	kept := b.prefilling[:0]
	for _, id := range b.prefilling {
		q := &r.requests.All[id]
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
func (r *replica) endChunk(id int32, q *request.Request) bool {
	end, prefill := q.Computed+q.Chunk, !q.Decoding()
	if !prefill && r.speculates() {
		r.verify(id, q)
		return true
	}
	if q.Computed < q.High {
		r.metrics.Cells[q.Cell].RecomputedTokens += int64(min(end, q.High) - q.Computed)
	}
	q.Computed, q.Chunk = end, 0
	if q.Job {
		r.cluster.chunkComputed(r, q)
	}
	if end < q.Total {
		return false
	}
	if prefill && r.tiers != nil {
		r.tiers.copyDown(id, q)
	}
	if q.Job {
		r.exports.firstToken(r.now, q)
		return true
	}
	q.Total++
	r.token(id, q, 1)
	return true
}

// token stamps the n tokens that the engine has just given, at once: more than one after
// the first.
func (r *replica) token(id int32, q *request.Request, n int32) {
	previous := q.LastToken
	q.LastToken = r.now
	if previous == request.Unset || q.Moved {
		r.exports.firstToken(r.now, q)
	} else {
		r.exports.tokens(r.now.Sub(previous), 1)
	}
	r.service.Add(q.Info.Tenant, int64(n))
	if previous == request.Unset {
		q.FirstToken = r.atGateway(r.now, q)
		r.metrics.FirstToken(r.now, q)
		r.cluster.gateway.DeliverFirstToken(id, q, q.FirstToken)
	} else {
		r.metrics.Burst(r.now, q.Cell, int64(r.now.Sub(previous)+r.cost.PerOutputToken*time.Duration(n)), int64(n))
		if q.Moved {
			r.cluster.gateway.DeliverFirstToken(id, q, r.atGateway(r.now, q))
		}
	}
	q.Moved = false
	for _, o := range r.observers {
		o.Token(id, n, r.atGateway(r.now, q))
	}
}

// endFinished lets the requests go that have given their last token.
func (r *replica) endFinished() {
	b := &r.batch
	if len(b.leaving) == 0 {
		return
	}
	if len(b.leaving) > 1 {
		slices.SortFunc(b.leaving, func(x, y int32) int {
			return int(r.requests.All[x].Admitted - r.requests.All[y].Admitted)
		})
	}
	used := r.cache.Used()
	if r.fabric != nil {
		// Hand-overs that end here tell of their own blocks.
		r.use.Settle(r.now, used)
	}
	for _, id := range b.leaving {
		q := &r.requests.All[id]
		b.remove(id)
		r.adapters.runs(q.Info.Adapter, -1)
		r.left(q, false)
		r.advisor.completed(r, q, r.now)
		if q.Job {
			r.cluster.prefilled(r, q)
			continue
		}
		if r.tiers != nil {
			r.tiers.copyDown(id, q)
		}
		if q.Handoff != 0 {
			r.cluster.cancelHandoff(r.cluster.handoffs.of(q))
		}
		q.MoveTo(request.Leaving)
		r.releaseBlocks(q, false)
		r.exports.finish()
		r.use.Served++
		r.use.ServedTokens += int64(q.Total)
		r.countServing(-1)
		r.cluster.gateway.DeliverEnd(r, id, q)
	}
	r.use.Changed(r.now, used, r.cache.Used())
}

// atGateway is when the token that the engine gave last reaches the gateway.
// What a token costs outside the engine delays it and all that follow, so that
// it shows in TTFT and in every gap, while the engine's clock does not wait.
func (r *replica) atGateway(now simtime.Time, q *request.Request) simtime.Time {
	return now.Add(r.cost.PerOutputToken * time.Duration(q.Generated()))
}
