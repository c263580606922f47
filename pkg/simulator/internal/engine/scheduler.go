// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/queue"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// NewScheduler makes the scheduler of one replica.
func NewScheduler(p *simulator.Pool) scheduling.Scheduler {
	if p.Scheduler == nil {
		return scheduling.FCFS()
	}
	return p.Scheduler()
}

// JobOf is what a replica's scheduler may know of a request that is not in step.
func (r *Replica) JobOf(q *request.Request) scheduling.Job {
	j := scheduling.Job{
		Turn: q.Turn, Arrival: q.Info.Arrival, Tenant: q.Info.Tenant, Class: q.Info.Class,
		Priority: q.Info.Priority, PromptTokens: int(q.Prompt), PredictedTokens: int(q.Predicted),
	}
	if q.Info.TTFT > 0 {
		j.Deadline = q.Info.Arrival.Add(q.Info.TTFT)
	}
	if q.Phase() == request.Running {
		j.ComputedTokens, j.Blocks = int(q.Computed), r.BlocksHeld(q)
	}
	return j
}

// takeTurn gives a request that enters the wait queue its place.
func (r *Replica) takeTurn(q *request.Request) {
	q.Turn, q.Rank, q.Group, q.Predicted = r.Waiting.Arrivals, 0, 0, 0
	r.Waiting.Arrivals++
	s := &r.Scheduler
	if s.Predictor != nil {
		of := r.Cluster.Handoffs.Client(q)
		q.Predicted = int64(s.Predictor(q.Info.Turn, int(of.Finish-of.Prompt)))
	}
	if s.Order != nil {
		q.Rank = s.Order(r.JobOf(q))
	}
	if s.Moving != nil {
		q.Group = s.Moving.Group(r.JobOf(q))
	}
}

// tell tells the scheduler's listener of a request.
func (r *Replica) tell(what func(scheduling.Listener, scheduling.Job), q *request.Request) {
	if r.Scheduler.Listener != nil {
		r.service.Settle(r.Batch.steps)
		what(r.Scheduler.Listener, r.JobOf(q))
	}
}

// started tells that a request has gone from the wait queue into the batch, and counts its
// prompt as served where it runs on the replica for the first time.
func (r *Replica) started(q *request.Request) {
	r.tell(scheduling.Listener.Started, q)
	if !q.Charged {
		q.Charged = true
		r.service.Add(q.Info.Tenant, int64(q.Prompt))
	}
}

// left tells that a request that waited or ran has left the replica.
func (r *Replica) left(q *request.Request, waiting bool) {
	if r.Scheduler.Listener != nil {
		r.service.Settle(r.Batch.steps)
		r.Scheduler.Listener.Left(r.JobOf(q), waiting)
	}
}

// Front returns the request whose turn it is, now.
func (r *Replica) Front() int32 {
	if r.Waiting.Moves() {
		r.service.Settle(r.Batch.steps)
		r.Waiting.Choose(r.comesBefore)
	}
	return r.Waiting.Front()
}

// comesBefore reports whether a request is to be served before another one, now.
func (r *Replica) comesBefore(a, b queue.Ticket) bool {
	if m := r.Scheduler.Moving; m != nil && a.Group != b.Group {
		x, y := m.Rank(r.JobOf(&r.Requests.All[a.Id]), r.Now), m.Rank(r.JobOf(&r.Requests.All[b.Id]), r.Now)
		if x != y {
			return x < y
		}
	}
	return a.Before(b)
}

// QueueInOrder returns the wait queue from front to back, as it stands now.
func (r *Replica) QueueInOrder() []queue.Ticket {
	r.service.Settle(r.Batch.steps)
	return r.Waiting.InOrder(r.comesBefore)
}

// requeueSkipped puts those back into the queue that an admission skipped.
func (r *Replica) requeueSkipped() {
	for _, id := range slices.Backward(r.skipped) {
		r.Waiting.Insert(r.Ticket(id))
	}
	r.skipped = r.skipped[:0]
}
