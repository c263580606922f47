// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// job is what the scheduler may know of a request.
func (r *plainReplica) job(q *plainRequest) scheduling.Job {
	j := scheduling.Job{
		Turn: q.Turn, Arrival: q.Info.Arrival, Tenant: q.Info.Tenant, Class: q.Info.Class, Priority: q.Info.Priority,
		PromptTokens: int(q.Prompt), PredictedTokens: int(q.Predicted),
	}
	if q.Info.TTFT > 0 {
		j.Deadline = q.Info.Arrival.Add(q.Info.TTFT)
	}
	if slices.Contains(r.running, q) {
		j.ComputedTokens, j.Blocks = int(q.Computed), blocksOf(q.Computed+q.Chunk, r)
		if r.Speculation != nil {
			j.Blocks = len(q.sequence.Blocks)
		}
	}
	return j
}

// number gives a request that enters the queue its turn, and has its answer guessed.
func (r *plainReplica) number(q *plainRequest) {
	q.Turn = r.turns
	r.turns++
	q.Predicted = 0
	if guess := r.scheduler.Predictor; guess != nil {
		answer := q.shown()
		q.Predicted = int64(guess(q.Info.Turn, int(answer.Finish-answer.Prompt)))
	}
}

func (r *plainReplica) compare(q, o *plainRequest, now simtime.Time) int {
	return r.scheduler.Compare(r.job(q), r.job(o), now)
}

// putInOrder sorts the wait queue as it is to be served now.
func (r *plainReplica) putInOrder(now simtime.Time) {
	slices.SortFunc(r.waiting, func(q, o *plainRequest) int { return r.compare(q, o, now) })
}

// victim is who gives way, now.
func (r *plainReplica) victim(now simtime.Time) *plainRequest {
	if r.scheduler.Victim == nil {
		return r.running[len(r.running)-1]
	}
	var jobs []scheduling.Job
	for _, q := range r.running {
		jobs = append(jobs, r.job(q))
	}
	return r.running[r.scheduler.Victim(&r.scheduler, jobs, now)]
}

// announce tells the scheduler what has become of a request, which "ran" or "waited" when
// it left.
func (r *plainReplica) announce(what string, q *plainRequest) {
	l := r.scheduler.Listener
	if l == nil {
		return
	}
	switch j := r.job(q); what {
	case "entered":
		l.Entered(j)
	case "started":
		l.Started(j)
	case "preempted":
		l.Preempted(j)
	default:
		l.Left(j, what == "waited")
	}
}

// start notes that a request runs.
func (r *plainReplica) start(q *plainRequest) {
	r.announce("started", q)
	if !q.charged {
		q.charged = true
		r.serve(q, int64(q.Prompt))
	}
}

// serve counts tokens that a tenant gets.
func (r *plainReplica) serve(q *plainRequest, tokens int64) {
	if r.scheduler.Service != nil {
		r.scheduler.Service.Add(q.Info.Tenant, tokens)
	}
}

func plainScheduler(p *simulator.Pool) scheduling.Scheduler {
	if p.Scheduler == nil {
		return scheduling.FCFS()
	}
	return p.Scheduler()
}
