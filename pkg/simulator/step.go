// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// endStep makes the results of the step under way take hold: chunks become
// computed tokens, requests whose prompt is complete get a token, finished
// requests leave and free their blocks, in order of admission.
func (s *simulation) endStep(r *replica) {
	b := &r.batch
	b.steps++
	b.leaving = b.leaving[:0]
	r.cacheEvents.computed()
	s.endDecodes(r)
	s.endChunks(r)
	s.endFinished(r)
	r.use.stepped(r.stepStart, s.now)
	r.stepping, r.stepEnd = false, s.now
}

// endDecodes gives each request in step its token.
func (s *simulation) endDecodes(r *replica) {
	b := &r.batch
	if b.decodes == 0 {
		return
	}
	s.decode(r, s.now)
	if len(s.observers) > 0 {
		s.showDecodes(r)
	}
	for len(b.done) > 0 && b.done[0].step == b.steps {
		id := b.done[0].id
		last := len(b.done) - 1
		b.done[0] = b.done[last]
		b.done = b.done[:last]
		siftDown(b.done)
		r.leaveStep(&s.requests.all[id])
		b.leaving = append(b.leaving, id)
	}
}

// decode counts the tokens that requests in step get when a step ends.
func (s *simulation) decode(r *replica, now simtime.Time) {
	b := &r.batch
	b.context += int64(b.decodes)
	gap := int64(now.Sub(r.stepEnd) + r.cost.PerOutputToken)
	for _, share := range b.shares {
		if share.count > 0 {
			s.metrics.tokens(now, share.cell, gap, share.count)
		}
	}
}

// showDecodes tells those who watch of the tokens of a step.
func (s *simulation) showDecodes(r *replica) {
	s.catchUpAll(r)
	for _, id := range r.batch.running {
		if q := &s.requests.all[id]; q.inStep {
			for _, o := range s.observers {
				o.token(s, id, r.atGateway(s.now, q))
			}
		}
	}
}

// endChunks applies the chunks of the step.
func (s *simulation) endChunks(r *replica) {
	b := &r.batch
	kept := b.prefilling[:0]
	for _, id := range b.prefilling {
		q := &s.requests.all[id]
		switch {
		case q.chunk == 0 || !s.endChunk(r, id, q):
			kept = append(kept, id)
		case q.total == q.finish:
			b.leaving = append(b.leaving, id)
		case b.constrained || q.incomplete:
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
func (s *simulation) endChunk(r *replica, id int32, q *request) bool {
	end, prefill := q.computed+q.chunk, !q.decoding()
	if q.computed < q.high {
		s.metrics.cells[q.cell].RecomputedTokens += int64(min(end, q.high) - q.computed)
	}
	q.computed, q.chunk = end, 0
	if q.job {
		s.chunkComputed(r, q)
	}
	if end < q.total {
		return false
	}
	if prefill && r.tiers != nil {
		s.copyDown(r, id, q)
	}
	if q.job {
		return true
	}
	q.total++
	s.token(r, id, q)
	return true
}

// token stamps the token that the engine has just given.
func (s *simulation) token(r *replica, id int32, q *request) {
	previous := q.lastToken
	q.lastToken = s.now
	if previous == unset {
		q.firstToken = r.atGateway(s.now, q)
		s.metrics.firstToken(s.now, q)
		s.deliverFirstToken(id, q, q.firstToken)
	} else {
		s.metrics.tokens(s.now, q.cell, int64(s.now.Sub(previous)+r.cost.PerOutputToken), 1)
		if q.moved {
			s.deliverFirstToken(id, q, r.atGateway(s.now, q))
		}
	}
	q.moved = false
	for _, o := range s.observers {
		o.token(s, id, r.atGateway(s.now, q))
	}
}

// endFinished lets the requests go that have given their last token.
func (s *simulation) endFinished(r *replica) {
	b := &r.batch
	if len(b.leaving) == 0 {
		return
	}
	if len(b.leaving) > 1 {
		slices.SortFunc(b.leaving, func(x, y int32) int {
			return int(s.requests.all[x].admitted - s.requests.all[y].admitted)
		})
	}
	used := r.cache.Used()
	if r.fabric != nil {
		// Hand-overs that end here tell of their own blocks.
		r.use.settle(s.now, used)
	}
	for _, id := range b.leaving {
		q := &s.requests.all[id]
		b.remove(id)
		r.adapters.runs(q.info.Adapter, -1)
		r.advisor.completed(r, q, s.now)
		if q.job {
			s.prefilled(r, q)
			continue
		}
		if r.tiers != nil {
			s.copyDown(r, id, q)
		}
		if q.handoff != 0 {
			s.cancelHandoff(s.handoffs.of(q))
		}
		q.moveTo(phaseLeaving)
		s.releaseBlocks(r, q, false)
		r.use.Served++
		s.countServing(r, -1)
		s.deliverEnd(r, id, q)
	}
	r.use.changed(s.now, used, r.cache.Used())
}

// atGateway is when the token that the engine gave last reaches the gateway.
// What a token costs outside the engine delays it and all that follow, so that
// it shows in TTFT and in every gap, while the engine's clock does not wait.
func (r *replica) atGateway(now simtime.Time, q *request) simtime.Time {
	return now.Add(r.cost.PerOutputToken * time.Duration(q.generated()))
}
