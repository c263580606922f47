// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/queue"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/run"
)

// line is the requests that wait in a replica or are on their way there, in the order of
// its scheduler.
type line struct {
	state  *run.State
	batch  *batch
	memory *memory
	// entries are requests on their way to the wait queue.
	entries queue.Entries
	Waiting queue.Waiting
	// Scheduler orders the queue, and chooses the request that gives way in the batch.
	Scheduler scheduling.Scheduler
	// watch measures what the order of the queue does; nil where no pool and no listener
	// asks.
	watch *queueWatch
	// Loading counts the requests in request.Loading: they have left the queue for a while, as
	// their KV is on its way here, from other replicas or from tiers. Holding counts those in
	// request.Ready: they are in the queue with blocks, whose KV has come.
	Loading, Holding int32
	// joins counts the requests that came into the queue from outside of a step's forming;
	// seen is how many there were when the step under way began, and cutoff the last
	// that the step being formed may have. seen <= joins.
	joins, seen, cutoff int64

	jobs    []scheduling.Job // scratch
	skipped []int32          // scratch
}

// newScheduler makes the scheduler of one replica.
func newScheduler(p *simulator.Pool) scheduling.Scheduler {
	if p.Scheduler == nil {
		return scheduling.FCFS()
	}
	return p.Scheduler()
}

// noCutoff is the cutoff of a step that may have all requests that wait.
const noCutoff = math.MaxInt64

// JobOf is what a replica's scheduler may know of a request that is not in step.
func (w *line) JobOf(q *request.Request) scheduling.Job {
	j := scheduling.Job{
		Turn: q.Turn, Arrival: q.Info.Arrival, Tenant: q.Info.Tenant, Class: q.Info.Class,
		Priority: q.Info.Priority, PromptTokens: int(q.Prompt), PredictedTokens: int(q.Predicted),
	}
	if q.Info.TTFT > 0 {
		j.Deadline = q.Info.Arrival.Add(q.Info.TTFT)
	}
	if q.Phase() == request.Running {
		j.ComputedTokens, j.Blocks = int(q.Computed), w.memory.BlocksHeld(q)
	}
	return j
}

// takeTurn gives a request that enters the wait queue its place. answer is how many
// tokens it will give, which only a predictor sees.
func (w *line) takeTurn(q *request.Request, answer int32) {
	q.Turn, q.Rank, q.Group, q.Predicted = w.Waiting.Arrivals, 0, 0, 0
	w.Waiting.Arrivals++
	s := &w.Scheduler
	if s.Predictor != nil {
		q.Predicted = int64(s.Predictor(q.Info.Turn, int(answer)))
	}
	if s.Order != nil {
		q.Rank = s.Order(w.JobOf(q))
	}
	if s.Moving != nil {
		q.Group = s.Moving.Group(w.JobOf(q))
	}
}

// tell tells the scheduler's listener of a request.
func (w *line) tell(what func(scheduling.Listener, scheduling.Job), q *request.Request) {
	if w.Scheduler.Listener != nil {
		w.settle()
		what(w.Scheduler.Listener, w.JobOf(q))
	}
}

// settle counts the tokens that tenants have been served up to now.
func (w *line) settle() { w.batch.service.Settle(w.batch.steps) }

// started tells that a request has gone from the wait queue into the batch, and counts its
// prompt as served where it runs on the replica for the first time.
func (w *line) started(q *request.Request) {
	w.tell(scheduling.Listener.Started, q)
	if q.Reach(request.Ran) {
		w.batch.service.Add(q.Info.Tenant, int64(q.Prompt))
	}
}

// left tells that a request that waited or ran has left the replica.
func (w *line) left(q *request.Request, waiting bool) {
	if w.Scheduler.Listener != nil {
		w.settle()
		w.Scheduler.Listener.Left(w.JobOf(q), waiting)
	}
}

// Front returns the request whose turn it is, now.
func (w *line) Front() int32 {
	if w.Waiting.Moves() {
		w.settle()
		w.Waiting.Choose(w.comesBefore)
	}
	return w.Waiting.Front()
}

// comesBefore reports whether a request is to be served before another one, now.
func (w *line) comesBefore(a, b queue.Ticket) bool {
	if m := w.Scheduler.Moving; m != nil && a.Group != b.Group {
		all, now := w.state.Requests.All, w.state.Now
		x, y := m.Rank(w.JobOf(&all[a.Id]), now), m.Rank(w.JobOf(&all[b.Id]), now)
		if x != y {
			return x < y
		}
	}
	return a.Before(b)
}

// QueueInOrder returns the wait queue from front to back, as it stands now.
func (w *line) QueueInOrder() []queue.Ticket {
	w.settle()
	return w.Waiting.InOrder(w.comesBefore)
}

// last returns the request that is served last of those that match, now; none if none does.
func (w *line) last(match func(*request.Request) bool) int32 {
	last := int32(none)
	w.settle()
	for i := range w.state.Requests.All {
		id := int32(i)
		if match(&w.state.Requests.All[i]) && (last == none || w.comesBefore(w.state.Ticket(last), w.state.Ticket(id))) {
			last = id
		}
	}
	return last
}

// victim returns the place in the batch of the request that gives way.
func (w *line) victim() int {
	running := w.batch.Running
	if w.Scheduler.Victim == nil {
		return len(running) - 1
	}
	w.settle()
	w.jobs = w.jobs[:0]
	for _, id := range running {
		w.jobs = append(w.jobs, w.JobOf(&w.state.Requests.All[id]))
	}
	return w.Scheduler.Victim(&w.Scheduler, w.jobs, w.state.Now)
}

// awaitedBlocks is how many blocks those want that are in the wait queue or on their
// way to it, and have none.
func (w *line) awaitedBlocks() int {
	blocks := 0
	add := func(id int32) {
		if q := &w.state.Requests.All[id]; q.Phase() != request.Ready {
			blocks += int(w.memory.blocksOf(q.Total))
		}
	}
	w.entries.Each(add)
	w.Waiting.Each(add)
	return blocks
}

// waiting is how many requests wait, those included whose KV is on its way.
func (w *line) waiting() int { return w.Waiting.Len() + int(w.Loading) }

// joined notes that a request has come into the wait queue that was not there when the
// step under way began, if one is.
func (w *line) joined(q *request.Request) {
	w.joins++
	q.Join = w.joins
}

// openSchedule lets requests into an empty step that came too late for it: an engine without
// work takes them at once. It returns false if there are none.
func (w *line) openSchedule() bool {
	late := w.joins > w.cutoff
	w.cutoff = noCutoff
	return late
}

// closeSchedule has the next step formed of requests that were there when the step that has just
// ended began: an engine that schedules asynchronously made the schedule then.
func (w *line) closeSchedule() { w.cutoff = w.seen }

// isLate says whether a request that waits came too late for the step being formed.
func (w *line) isLate(q *request.Request) bool { return q.Join > w.cutoff }

// skip takes the front of the wait queue out for the rest of an admission.
func (w *line) skip(id int32) {
	w.Waiting.Pop()
	w.skipped = append(w.skipped, id)
}

// requeueSkipped puts those back into the queue that an admission skipped.
func (w *line) requeueSkipped() {
	for _, id := range slices.Backward(w.skipped) {
		w.Waiting.Insert(w.state.Ticket(id))
	}
	w.skipped = w.skipped[:0]
}
