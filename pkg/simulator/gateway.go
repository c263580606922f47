// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"errors"
	"fmt"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// arrive routes a request at the time of its arrival and sends it on its way.
func (s *simulation) arrive(w *workload.Request) {
	s.arrived++
	id := s.requests.take()
	q := &s.requests.all[id]
	q.info = policy.Request{
		ID: w.ID, Arrival: w.Arrival, Prompt: w.Prompt, Tokens: w.Prompt.Tokens(),
		Tenant: w.Tenant, Class: w.Class, Priority: w.Priority,
		Session: w.Session, Adapter: int32(w.Adapter), Headers: int32(w.Headers),
	}
	promised := s.metrics.target(w.Class)
	q.info.TTFT, q.info.TPOT = promised.TTFT, promised.TPOT
	q.lastToken, q.firstToken, q.routedAt = unset, unset, w.Arrival
	output := int32(max(w.OutputTokens, 1))
	q.prompt = int32(q.info.Tokens)
	q.total, q.finish = q.prompt, q.prompt+output
	q.answer = prompt.Extent{Source: w.Response, Start: w.ResponseStart, Tokens: output}
	to, err := s.decide(&q.info)
	if s.isHeld(err) {
		s.hold(id)
	} else {
		s.forward(id, to, err)
	}
	s.now = w.Arrival
	s.release()
	s.evictRequested()
	for _, o := range s.observers {
		o.settled(s, nil)
	}
}

// forward hands a request to the endpoints that the router chose, now.
func (s *simulation) forward(id int32, to policy.Decision, err error) {
	if err != nil {
		s.reject(id, NoPool, refusal(err))
		return
	}
	q := &s.requests.all[id]
	endpoint, prefill := to.Endpoint, to.Prefill
	r := &s.replicas[endpoint]
	reason, never := s.refuses(to, int64(q.prompt), int64(q.finish))
	if never {
		if s.policies.Routing.Responses != nil {
			s.policies.Routing.Responses.Finished(&q.info, endpoint)
		}
		s.reject(id, r.pool, reason)
		return
	}
	q.replica, q.accepted = int32(endpoint), true
	s.held.note(id, q)
	q.cell = s.metrics.arrived(s.now, r.pool, &q.info)
	s.recordGatewayQueueing(q)
	s.inFlight++
	s.countServing(r, +1)
	for _, o := range s.observers {
		o.arrived(s, id)
	}
	if prefill != policy.NoPrefill && prefill != endpoint {
		s.handOver(id, prefill, endpoint)
		return
	}
	s.sendToQueue(r, id)
}

// refuses says whether the endpoints of a request can never serve so many
// tokens, and why.
func (s *simulation) refuses(to policy.Decision, prompt, total int64) (Reason, bool) {
	reason, never := s.replicas[to.Endpoint].refuses(prompt, total)
	if !never && to.Prefill != policy.NoPrefill {
		reason, never = s.replicas[to.Prefill].refuses(prompt, prompt+1)
	}
	if !never && s.asksOnArrival && s.rejectsOnArrival(to, prompt) {
		return NoRoom, true
	}
	return reason, never
}

// countServing counts a request that a replica has to serve, or had to.
func (s *simulation) countServing(r *replica, n int) {
	r.serving += n
	s.serving += n
}

// sendToQueue sends a request to a replica's wait queue, where it comes after what
// the way there takes.
func (s *simulation) sendToQueue(r *replica, id int32) {
	now := s.now
	s.advance(r, now)
	s.now = now
	q := &s.requests.all[id]
	if delay := r.entryDelay(q.prompt); delay > 0 {
		q.moveTo(phaseEntry)
		q.entryAt = now.Add(delay)
		r.entries.push(entry{at: q.entryAt, number: q.info.ID, id: id})
		s.reorder(r)
		return
	}
	s.enter(r, id)
}

// decide asks for a request's priority, whether it may enter, and where it goes. The
// view is up to now.
func (s *simulation) decide(info *policy.Request) (policy.Decision, error) {
	s.view.Now = s.now
	if p := s.policies.Priority; p != nil {
		info.Priority = p.Prioritize(&s.view, info)
	}
	if a := s.policies.Admission; a != nil {
		if err := a.Admit(&s.view, info); err != nil {
			return s.checkDecision(info.ID, policy.Decision{}, err)
		}
	}
	return s.route(info)
}

// route asks the router. The view is up to now.
func (s *simulation) route(info *policy.Request) (policy.Decision, error) {
	s.view.Now = s.now
	to, err := s.policies.Routing.Router.Route(&s.view, info)
	s.view.Changed = s.changed[:0]
	if s.isHeld(err) {
		return to, err
	}
	return s.checkDecision(info.ID, to, err)
}

// checkDecision panics where the router answers what no router may.
func (s *simulation) checkDecision(id int, to policy.Decision, err error) (policy.Decision, error) {
	switch {
	case errors.Is(err, policy.ErrNoEndpoint):
		return policy.Decision{}, err
	case err != nil:
		panic(fmt.Sprintf("simulator: a policy failed on request %d at %v: %v", id, s.now, err))
	case !s.exists(to.Endpoint):
		panic(fmt.Sprintf("simulator: the router sent request %d to endpoint %d of %d", id, to.Endpoint, len(s.replicas)))
	case to.Prefill != policy.NoPrefill && !s.exists(to.Prefill):
		panic(fmt.Sprintf("simulator: the router had request %d computed by endpoint %d of %d", id, to.Prefill, len(s.replicas)))
	}
	return to, nil
}

func (s *simulation) exists(endpoint int) bool { return endpoint >= 0 && endpoint < len(s.replicas) }

// refusal is the reason of a router that chose no endpoint.
func refusal(err error) Reason {
	switch {
	case errors.Is(err, policy.ErrShed):
		return Shed
	case errors.Is(err, policy.ErrQueueFull):
		return QueueFull
	case errors.Is(err, policy.ErrExpired):
		return Expired
	default:
		return NoEndpoint
	}
}

// reject ends a request that no engine will see.
func (s *simulation) reject(id int32, pool int, reason Reason) {
	info := &s.requests.all[id].info
	s.metrics.rejected(s.now, pool, info, reason)
	for _, o := range s.observers {
		o.rejected(s, info, reason)
	}
	if s.onRejected != nil {
		s.onRejected(info.ID, reason)
	}
	if s.onEnded != nil {
		e := s.endAtGateway(&s.requests.all[id], pool)
		e.Ended, e.Reason = "rejected", reason
		s.onEnded(e)
	}
	s.hear(info.ID, s.now, workload.Rejected)
	s.finishBy, s.lastEnd = max(s.finishBy, s.now), max(s.lastEnd, s.now)
	s.requests.release(id)
}
