// SPDX-License-Identifier: Apache-2.0

package simulator

import "windtunnel.dev/windtunnel/pkg/simtime"

// applyStep makes the results of the step under way take hold: chunks become
// computed tokens, requests whose prompt is complete get a token, finished
// requests leave and free their blocks.
func (s *simulation) applyStep(r *replica) {
	s.metrics.beginStep(s.now.Sub(r.stepStart) + r.cost.PerOutputToken)
	kept := r.running[:0]
	for _, id := range r.running {
		q := &s.requests.all[id]
		if q.chunk > 0 && s.advance(r, id, q) {
			continue
		}
		kept = append(kept, id)
	}
	r.running = kept
	s.metrics.endStep(s.now)
	r.use.stepped(r.stepStart, s.now)
	r.stepping = false
}

// advance applies one request's share of a step. It returns true if the
// request is done.
func (s *simulation) advance(r *replica, id int32, q *request) bool {
	end := q.computed + q.chunk
	if q.computed < q.high {
		s.metrics.cells[q.cell].RecomputedTokens += int64(min(end, q.high) - q.computed)
	}
	q.computed, q.chunk = end, 0
	if end < q.total {
		return false
	}
	q.total++
	s.token(r, id, q)
	if q.total < q.finish {
		return false
	}
	q.phase = phaseLeaving
	r.cache.Release(&q.blocks)
	r.use.Served++
	s.deliver(s.atGateway(r, q), kindLastToken, id)
	return true
}

// token stamps the token that the engine has just given.
func (s *simulation) token(r *replica, id int32, q *request) {
	previous := q.lastToken
	q.lastToken = s.now
	switch {
	case previous == r.stepStart:
		s.metrics.stepToken(q.cell)
	case previous != unset:
		s.metrics.lateToken(s.now, q.cell, s.now.Sub(previous)+r.cost.PerOutputToken)
	default:
		q.firstToken = s.atGateway(r, q)
		s.metrics.firstToken(s.now, q)
		s.deliver(q.firstToken, kindFirstToken, id)
	}
	for _, o := range s.observers {
		o.token(s, id, s.atGateway(r, q))
	}
}

// atGateway is when the token just given reaches the gateway. What a token
// costs outside the engine delays it and all that follow, so that it shows in
// TTFT and in every gap, while the engine's clock does not wait.
func (s *simulation) atGateway(r *replica, q *request) simtime.Time {
	return s.now.Add(timesTokens(r.cost.PerOutputToken, q.generated()))
}
