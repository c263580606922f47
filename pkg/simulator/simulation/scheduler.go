// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// newScheduler makes the scheduler of one replica.
func newScheduler(p *simulator.Pool) scheduling.Scheduler {
	if p.Scheduler == nil {
		return scheduling.FCFS()
	}
	return p.Scheduler()
}

// jobOf is what a replica's scheduler may know of a request that is not in step.
func (r *replica) jobOf(q *request) scheduling.Job {
	j := scheduling.Job{
		Turn: q.turn, Arrival: q.info.Arrival, Tenant: q.info.Tenant, Class: q.info.Class,
		Priority: q.info.Priority, PromptTokens: int(q.prompt), PredictedTokens: int(q.predicted),
	}
	if q.info.TTFT > 0 {
		j.Deadline = q.info.Arrival.Add(q.info.TTFT)
	}
	if q.Phase() == phaseRunning {
		j.ComputedTokens, j.Blocks = int(q.computed), r.blocksHeld(q)
	}
	return j
}

// takeTurn gives a request that enters the wait queue its place.
func (r *replica) takeTurn(q *request) {
	q.turn, q.rank, q.group, q.predicted = r.waiting.Arrivals, 0, 0, 0
	r.waiting.Arrivals++
	s := &r.scheduler
	if s.Predictor != nil {
		of := q
		if q.job {
			of = &r.requests.all[r.cluster.handoffs.of(q).decode]
		}
		q.predicted = int64(s.Predictor(q.info.Turn, int(of.finish-of.prompt)))
	}
	if s.Order != nil {
		q.rank = s.Order(r.jobOf(q))
	}
	if s.Moving != nil {
		q.group = s.Moving.Group(r.jobOf(q))
	}
}

// tell tells the scheduler's listener of a request.
func (r *replica) tell(what func(scheduling.Listener, scheduling.Job), q *request) {
	if r.scheduler.Listener != nil {
		r.service.Settle(r.batch.steps)
		what(r.scheduler.Listener, r.jobOf(q))
	}
}

// started tells that a request has gone from the wait queue into the batch, and counts its
// prompt as served where it runs on the replica for the first time.
func (r *replica) started(q *request) {
	r.tell(scheduling.Listener.Started, q)
	if !q.charged {
		q.charged = true
		r.service.Add(q.info.Tenant, int64(q.prompt))
	}
}

// left tells that a request that waited or ran has left the replica.
func (r *replica) left(q *request, waiting bool) {
	if r.scheduler.Listener != nil {
		r.service.Settle(r.batch.steps)
		r.scheduler.Listener.Left(r.jobOf(q), waiting)
	}
}
