// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"errors"
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// prioritize asks for the priority of a request that arrives.
func (p *plain) prioritize(info *policy.Request) {
	if p.Policies.Traffic != nil {
		p.Policies.Traffic.Arrive(p.now, info)
	}
	if p.Policies.Priority != nil {
		info.Priority, info.Hints = p.Policies.Priority.Prioritize(p.look(), info)
	}
}

// letEnter asks whether a request may enter, and where it goes.
func (p *plain) letEnter(q *plainRequest) {
	if p.awaits(q) {
		return
	}
	if p.Policies.Admission != nil {
		verdict := p.Policies.Admission.Admit(p.look(), &q.Info)
		if verdict.Rejection != nil {
			p.turnAway(q, simulator.NoPool, plainReason(verdict.Rejection))
			return
		}
		if verdict.Until > 0 {
			p.fly(q)
			p.delayed = append(p.delayed, q)
			if p.Policies.Traffic != nil {
				p.Policies.Traffic.Delay(&q.Info, 1)
			}
			p.schedule(plainEvent{at: verdict.Until, kind: plainDelayEnd, number: q.Info.ID, request: q})
			return
		}
		if chunk := verdict.Hints.PrefillChunk; chunk > 0 && (q.Info.Hints.PrefillChunk == 0 || chunk < q.Info.Hints.PrefillChunk) {
			q.Info.Hints.PrefillChunk = chunk
		}
	}
	q.RoutedAt = p.now
	if p.Policies.Traffic != nil {
		p.Policies.Traffic.Admit(p.now, &q.Info)
		q.Counted = true
	}
	decision, err := p.Policies.Routing.Router.Route(p.look(), &q.Info)
	if errors.Is(err, policy.ErrHeld) {
		p.fly(q)
		p.waiting = append(p.waiting, q)
		return
	}
	p.sendTo(q, decision, err)
}

// endDelay asks again about a request that has waited.
func (p *plain) endDelay(q *plainRequest) {
	p.undelay(q)
	p.tellAll()
	p.letEnter(q)
	p.release()
	p.revoke()
}

// undelay lets a request wait no longer.
func (p *plain) undelay(q *plainRequest) {
	p.delayed = without(p.delayed, q)
	q.awaiting = false
	p.forget(q)
	p.events = slices.DeleteFunc(p.events, func(e plainEvent) bool { return e.kind == plainDelayEnd && e.request == q })
	if p.Policies.Traffic != nil {
		p.Policies.Traffic.Delay(&q.Info, -1)
	}
}

// noteDelay notes how long the admission made a request wait that goes to an endpoint.
func (p *plain) noteDelay(q *plainRequest) {
	if q.RoutedAt > q.Info.Arrival {
		p.metrics.Touch(p.now, q.Cell).AdmissionDelay.Record(int64(q.RoutedAt.Sub(q.Info.Arrival)))
	}
}

// turnAway ends a request that no engine will see.
func (p *plain) turnAway(q *plainRequest, pool int, reason simulator.Reason) {
	p.hear(q, workload.Rejected)
	p.metrics.Rejected(p.now, pool, &q.Request, reason)
	p.note(q, func(rec *record) { rec.end = reason.String() })
	p.flowOf(q).Rejected++
	p.uncount(q)
	if p.Policies.Traffic != nil {
		p.Policies.Traffic.Reject(p.now, &q.Info)
	}
}

// plainReason is the reason of a policy's error.
func plainReason(err error) simulator.Reason {
	for of, reason := range map[error]simulator.Reason{
		policy.ErrShed: simulator.Shed, policy.ErrQueueFull: simulator.QueueFull, policy.ErrExpired: simulator.Expired,
		policy.ErrRateLimited: simulator.RateLimited, policy.ErrOverBudget: simulator.OverBudget, policy.ErrClassRefused: simulator.ClassRefused,
	} {
		if errors.Is(err, of) {
			return reason
		}
	}
	return simulator.NoEndpoint
}

// uncount tells the traffic that a request has ended that it was told of.
func (p *plain) uncount(q *plainRequest) {
	p.flowOf(q).Ended++
	if q.Counted {
		p.Policies.Traffic.End(&q.Info)
		q.Counted = false
	}
}
