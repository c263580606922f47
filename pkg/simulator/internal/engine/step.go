// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// endStep makes the results of the step that began at a time take hold: chunks become
// computed tokens, requests whose prompt is complete get a token, finished
// requests leave and free their blocks, in order of admission.
func (s *stepper) endStep(began simtime.Time) {
	b := &s.Batch
	b.steps++
	b.leaving = b.leaving[:0]
	s.cacheEvents.computed()
	s.endDecodes()
	s.endChunks()
	s.endFinished()
	s.Use.Stepped(began, s.Now)
	b.stepEnd = s.Now
	if s.asynchronous {
		s.closeSchedule()
	}
}

// endDecodes gives each request in step its token.
func (s *stepper) endDecodes() {
	b := &s.Batch
	if b.decodes == 0 {
		return
	}
	s.decode(s.Now)
	if len(s.Observers) > 0 {
		s.showDecodes()
	}
	for len(b.done) > 0 && b.done.next() == b.steps {
		id := b.done.pop()
		b.leave(&s.Requests.All[id])
		b.leaving = append(b.leaving, id)
	}
}

// decode counts the tokens that requests in step get when a step ends.
func (s *stepper) decode(now simtime.Time) {
	b := &s.Batch
	b.context += int64(b.decodes)
	s.Exports.tokens(now.Sub(b.stepEnd), int64(b.decodes))
	gap := int64(now.Sub(b.stepEnd) + s.cost.PerOutputToken)
	for _, share := range b.shares {
		if share.count > 0 {
			s.Metrics.Tokens(now, share.cell, gap, share.count)
		}
	}
}

// showDecodes tells observers of the tokens of a step.
func (s *stepper) showDecodes() {
	s.Batch.catchUpAll()
	for _, id := range s.Batch.Running {
		if q := &s.Requests.All[id]; q.InStep() {
			for _, o := range s.Observers {
				o.Token(id, 1, s.atGateway(s.Now, q))
			}
		}
	}
}

// endChunks applies the chunks of the step.
func (s *stepper) endChunks() {
	b := &s.Batch
	kept := b.prefilling[:0]
	for _, id := range b.prefilling {
		q := &s.Requests.All[id]
		switch {
		case q.Chunk == 0 || !s.endChunk(id, q):
			kept = append(kept, id)
		case q.Total == q.Finish:
			b.leaving = append(b.leaving, id)
		case b.constrained || q.Incomplete():
			// The next step's regroup joins it with the others, or a later one
			// when all of its KV has come.
			kept = append(kept, id)
		default:
			b.join(q, id)
		}
	}
	b.prefilling = kept
}

// endChunk applies one request's chunk and reports whether a token came out of
// it.
func (s *stepper) endChunk(id int32, q *request.Request) bool {
	end, prefill := q.Computed+q.Chunk, !q.Decoding()
	if !prefill && s.Speculates() {
		s.verify(id, q)
		return true
	}
	if q.Computed < q.High {
		s.Metrics.Cells[q.Cell].RecomputedTokens += int64(min(end, q.High) - q.Computed)
	}
	q.Computed, q.Chunk = end, 0
	if q.Job {
		s.cluster.Handoffs.Computed(q)
	}
	if end < q.Total {
		return false
	}
	if prefill && s.Tiers != nil {
		s.Tiers.CopyDown(id, q)
	}
	if q.Job {
		s.Exports.firstToken(s.Now, q)
		return true
	}
	q.Total++
	s.token(id, q, 1)
	return true
}

// verify ends a step in which a request has verified drafts: it gets a token, and those
// drafts that are accepted, up to the end of its answer.
func (s *stepper) verify(id int32, q *request.Request) {
	drafts := q.Chunk - 1
	accepted := accepted(s.Config.Speculation, drafts, draw(s.Seed, q.Info.Turn, int(q.Generated())))
	s.Metrics.Verified(s.Now, q.Cell, int64(drafts), int64(accepted))
	n := min(1+accepted, q.Finish-q.Total)
	q.Total += n
	q.Computed, q.Chunk = q.Total-1, 0
	s.token(id, q, n)
}

// token stamps the n tokens that the engine has just given, at once: more than one after
// the first.
func (s *stepper) token(id int32, q *request.Request, n int32) {
	previous := q.LastToken
	q.LastToken = s.Now
	first := q.Reach(request.GaveToken)
	if first {
		s.unanswered -= int64(q.Prompt)
		s.Exports.firstToken(s.Now, q)
	} else {
		s.Exports.tokens(s.Now.Sub(previous), 1)
	}
	s.Batch.service.Add(q.Info.Tenant, int64(n))
	if previous == request.Unset {
		q.FirstToken = s.atGateway(s.Now, q)
		s.Metrics.FirstToken(s.Now, q)
		s.cluster.Gateway.DeliverFirstToken(id, q, q.FirstToken)
	} else {
		s.Metrics.Burst(s.Now, q.Cell, int64(s.Now.Sub(previous)+s.cost.PerOutputToken*time.Duration(n)), int64(n))
		if first {
			s.cluster.Gateway.DeliverFirstToken(id, q, s.atGateway(s.Now, q))
		}
	}
	for _, o := range s.Observers {
		o.Token(id, n, s.atGateway(s.Now, q))
	}
}

// endFinished lets the requests go that have given their last token.
func (s *stepper) endFinished() {
	b := &s.Batch
	if len(b.leaving) == 0 {
		return
	}
	if len(b.leaving) > 1 {
		slices.SortFunc(b.leaving, func(x, y int32) int {
			return int(s.Requests.All[x].Admitted - s.Requests.All[y].Admitted)
		})
	}
	used := s.Cache.Used()
	if s.Fabric != nil {
		// Hand-overs that end here tell of their own blocks.
		s.Use.Settle(s.Now, used)
	}
	for _, id := range b.leaving {
		q := &s.Requests.All[id]
		b.remove(id)
		s.Adapters.runs(q.Info.Adapter, -1)
		s.left(q, false)
		s.Advisor.completed(q, s.Now)
		s.Exports.finish(q)
		s.Use.Served++
		s.Use.ServedTokens += int64(q.Total)
		if q.Job {
			s.countJob(q, -1)
			s.cluster.Handoffs.Prefilled(q)
			continue
		}
		if s.Tiers != nil {
			s.Tiers.CopyDown(id, q)
		}
		if q.Handoff != 0 {
			s.cluster.Handoffs.Cancel(q)
		}
		q.MoveTo(request.Leaving)
		if q.Terms != nil && q.Terms.Keeps {
			q = s.keepBlocks(id)
		} else {
			s.releaseBlocks(q, false)
		}
		s.CountServing(q, -1)
		last := s.atGateway(s.Now, q)
		s.cluster.Gateway.DeliverEnd(id, q, last, last.Add(s.cost.Completion))
	}
	s.Use.Changed(s.Now, used, s.Cache.Used())
}

// keepBlocks has the blocks of a request that ends stay until another one takes them over. It
// returns the request, which may have moved.
func (s *stepper) keepBlocks(id int32) *request.Request {
	s.Cache.StopDecode(s.Requests.All[id].Blocks)
	job := s.cluster.Handoffs.Keep(id)
	if from := s.Requests.All[job].Source; from != 0 {
		s.Tiers.PassOn(from, job)
	}
	return &s.Requests.All[id]
}
