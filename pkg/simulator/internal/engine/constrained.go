// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// lastGivesWay says that no request but the last of the batch is preempted, that nothing else
// gives blocks up, and that nothing reads the cache before the step is formed.
func (s *stepper) lastGivesWay() bool {
	return s.Scheduler.Victim == nil && !s.links.Any() && s.watch == nil && s.limits.Config.Windows.Groups == 0
}

// allocateWhatIsFree does what scheduleConstrained does where the last gives way. Those in step stay
// in it: they are the first of the batch, and each of them takes one block or none.
func (s *stepper) allocateWhatIsFree(budget int32) (rest int32, preempted bool) {
	b := &s.Batch
	for s.Cache.StepNeeds() > s.Cache.Free() {
		s.Cache.Prepay()
		s.preemptLast()
		preempted = true
	}
	if b.decodes > 0 {
		s.Cache.Step()
	}
	for i := 0; i < len(b.prefilling); i++ {
		q := &s.Requests.All[b.prefilling[i]]
		q.Chunk = s.chunk(q, budget)
		for !s.Cache.Extend(q.Blocks, int(q.Computed+q.Chunk)) {
			s.preemptLast()
			preempted = true
			if i == len(b.prefilling) {
				return budget, true
			}
		}
		budget -= q.Chunk
	}
	return budget, preempted
}

// preemptLast preempts the last of the batch, which is in step if nothing is in prefilling.
func (s *stepper) preemptLast() {
	b := &s.Batch
	last := len(b.Running) - 1
	if inPrefill := len(b.prefilling); inPrefill > 0 {
		b.prefilling = b.prefilling[:inPrefill-1]
	} else {
		q := &s.Requests.All[b.Running[last]]
		b.leaveEarly(q, b.Running[last])
		q.LastToken = b.stepEnd
	}
	s.preempt(last)
}

// scheduleConstrained gives the running requests their share of the budget and
// their blocks one by one, in order of admission. Where blocks run out a
// request is preempted, which may be the very one that needs them; the others
// go on. It returns the rest of the budget and whether anyone was preempted: no
// request is admitted in such a step, as it would take the blocks that were
// just made free.
//
// All that run are in prefilling then, for want of a request in step.
func (s *stepper) scheduleConstrained() (budget int32, preempted bool) {
	b := &s.Batch
	b.leaveAll()
	for _, id := range b.Running {
		s.Requests.All[id].Chunk = 0
	}
	budget = s.MaxTokens
	for i := 0; i < len(b.Running) && budget > 0; i++ {
		q := &s.Requests.All[b.Running[i]]
		n := min(s.wants(q), s.chunkLimit(q), budget)
		place, returned := s.makeRoom(i, n)
		preempted = preempted || returned.preempted
		budget += returned.tokens
		if place == gone {
			break
		}
		i = place
		q.Chunk = n
		budget -= n
	}
	b.prefilling = append(b.prefilling[:0], b.Running...)
	return budget, preempted
}

// gone is the place in the batch of a request that has been preempted.
const gone = -1

// takenBack is what preemptions in the course of a step give back to it.
type takenBack struct {
	tokens    int32 // of the budget
	preempted bool
}

// makeRoom gives the request at a place of the batch room for its next n tokens,
// preempting until they fit. It returns the request's new place, or gone if it was
// preempted itself.
func (s *stepper) makeRoom(place int, n int32) (int, takenBack) {
	b := &s.Batch
	var back takenBack
	for !s.extend(&s.Requests.All[b.Running[place]], n) {
		if len(b.Running) == 1 && s.freeBlocks() {
			continue
		}
		victim := s.victim()
		back.tokens += s.Requests.All[b.Running[victim]].Chunk
		back.preempted = true
		s.preempt(victim)
		switch {
		case victim == place:
			return gone, back
		case victim < place:
			place--
		}
	}
	return place, back
}

// preempt takes a request off the batch and puts it back into the wait queue.
// It keeps the tokens it has generated and loses its KV, save for what the
// prefix cache still holds when it comes back.
func (s *stepper) preempt(victim int) {
	b := &s.Batch
	id := b.Running[victim]
	q := &s.Requests.All[id]
	if s.Listeners.Preempted != nil {
		s.Listeners.Preempted(s.preemptionOf(q))
	}
	b.Running = append(b.Running[:victim], b.Running[victim+1:]...)
	s.Adapters.runs(q.Info.Adapter, -1)
	s.cancelOngoing(q)
	s.takeBlocks(q)
	q.High = max(q.High, q.Computed)
	q.Computed, q.Chunk = 0, 0
	q.MoveTo(request.Waiting)
	s.waitAgain(q, id)
	s.tell(scheduling.Listener.Preempted, q)
	s.Use.Preemptions++
	s.Metrics.Cells[q.Cell].Preemptions++
	for _, o := range s.Observers {
		o.Preempted(s.Index, id)
	}
}
