// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/handoff"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/measure"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/queue"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/run"
)

// stepper is what vLLM calls the scheduler of an engine: it chooses what each step of a
// replica computes, and applies the results. It does not know how long steps take.
type stepper struct {
	*run.State
	cluster *shared
	// Index numbers the replica among all.
	Index int32

	limits
	line
	// Batch has the requests that run, memory their blocks. A request is in the batch if and
	// only if it is in request.Running, and in the queue if it is in Waiting or Ready.
	Batch batch
	memory
	// Port is the replica's end of hand-overs.
	Port handoff.Port
	// Advisor is its stability controller; nil where the pool has none.
	Advisor *advisor
	record
}

// record is what is counted of a replica.
type record struct {
	Use measure.Use
	// Gauges follow the replica through time; nil where no series are asked for.
	Gauges    *measure.ReplicaGauges
	Lifetimes measure.Lifetimes
	// Exports are what the engine counts for a router that reads it; nil where none does.
	Exports *Exports
	// serving counts the requests that it has yet to give all of their tokens, prefills the
	// prefill jobs that it has yet to compute. unanswered is the tokens of the prompts of
	// both, without those that it has given a token.
	serving, prefills int
	unanswered        int64
}

// WatchLatencies has the engine count what a scaler may read.
func (r *record) WatchLatencies() {
	if r.Exports == nil {
		r.Exports = &Exports{}
	}
	r.Exports.Latencies = &latencyCounts{}
}

// link points the parts of a replica at each other.
func (s *stepper) link() {
	s.memory.limits = &s.limits
	s.line.state, s.line.batch, s.line.memory = s.State, &s.Batch, &s.memory
}

// empty makes the replica one that has just started.
func (s *stepper) empty() {
	s.memory.empty()
	s.Scheduler = newScheduler(s.Config)
	s.Batch = newBatch(s.State, &s.memory, queue.NewService(s.Scheduler.Service))
	s.Waiting = queue.NewWaiting(&s.Scheduler)
	s.cutoff = noCutoff
}

// CountServing counts a request that a replica has to serve, or had to.
func (s *stepper) CountServing(q *request.Request, n int) {
	s.serving += n
	s.cluster.Serving += n
	if q.Reached < request.GaveToken {
		s.unanswered += int64(n) * int64(q.Prompt)
	}
}

// countJob counts a prefill job that a replica has to compute, or had to.
func (s *stepper) countJob(job *request.Request, n int) {
	s.prefills += n
	s.unanswered += int64(n) * int64(job.Prompt)
}

// HasRoom says whether a prompt finds room at the replica's door.
func (s *stepper) HasRoom(prompt int64) bool { return s.Advisor.hasRoom(s.Now, prompt, &s.line) }

// watchWaiting notes that a request waits from now on.
func (s *stepper) watchWaiting(q *request.Request, id int32) {
	if s.watch != nil {
		tokens, blocks := s.needsToStart(q)
		s.watch.waits(q, id, tokens, blocks)
	}
}

// needsToStart is how many tokens a request has to compute to be served, as the cache is
// now, and how many blocks it takes to be admitted, in addition to those that the cache has.
func (s *stepper) needsToStart(q *request.Request) (tokens, blocks int32) {
	if q.Phase() == request.Ready {
		tokens = q.Total - q.Computed
		return tokens, s.blocksOf(s.firstChunk(q, tokens))
	}
	s.nameBlocks(q)
	cached := s.match(q)
	tokens = q.Total - cached
	chunk := s.firstChunk(q, tokens)
	if q.Handoff != 0 && !q.Job {
		tokens, chunk = 1, tokens
	}
	return tokens, s.blocksOf(cached+chunk) - s.blocksOf(cached)
}

// waitAgain puts a request back into the wait queue, at the turn that it had.
func (s *stepper) waitAgain(q *request.Request, id int32) {
	s.Waiting.Insert(s.Ticket(id))
	s.watchWaiting(q, id)
}

// preemptionOf describes the preemption of a request that still has its place.
func (s *stepper) preemptionOf(q *request.Request) simulator.Preemption {
	return simulator.Preemption{
		At: s.Now, Request: q.Info.ID, Replica: int(s.Index), Running: len(s.Batch.Running),
		Waiting: s.waiting(), Computed: int(q.Computed), KVUsage: s.Cache.Usage(),
	}
}
