// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// formStep chooses what the next step computes, as vLLM's V1 scheduler does:
// one budget of tokens a step, spent first on the running requests in order
// of admission and then on the waiting ones in order of their queue. A prompt
// longer than what is left of the budget is cut into chunks. Blocks are
// allocated here; nothing else of the requests changes before the step ends.
//
// Where the budget does not suffice for all that run, or blocks are short and another
// than the last of the batch may be preempted, the order among them counts, and requests
// are treated one by one. Where only blocks are short and the last gives way, those in
// step stay in it.
func (s *stepper) formStep() latency.Step {
	if s.Batch.constrained {
		s.Batch.regroup()
	}
	for {
		preempted := s.schedule()
		step := s.Batch.sum()
		// The first in the batch may have had to give way, and then no request
		// after it gets anything. The engine tries again at once.
		if step.Sequences > 0 || !preempted && !s.openSchedule() && !s.unblock() {
			return step
		}
	}
}

// schedule does what formStep says and returns whether anyone was preempted.
func (s *stepper) schedule() (preempted bool) {
	s.watch.tries()
	b := &s.Batch
	budget := s.MaxTokens - b.decodes
	b.constrained = b.constrained || budget < 0 || !b.prefillsLast()
	switch {
	case !b.constrained && s.planChunks(budget):
		budget = s.allocate(budget)
	case !b.constrained && s.lastGivesWay():
		budget, preempted = s.allocateWhatIsFree(budget)
	default:
		b.constrained = true
		budget, preempted = s.scheduleConstrained()
	}
	if !preempted {
		s.admit(budget)
	}
	return preempted
}

// planChunks says how much of their prompts the prefilling requests compute
// when all that are in step come first. It returns false where blocks do not suffice.
func (s *stepper) planChunks(budget int32) bool {
	b := &s.Batch
	needs := 0
	if b.decodes > 0 {
		needs = s.Cache.StepNeeds()
	}
	for _, id := range b.prefilling {
		q := &s.Requests.All[id]
		q.Chunk = s.chunk(q, budget)
		budget -= q.Chunk
		needs += s.Cache.ExtendNeeds(q.Blocks, int(q.Computed+q.Chunk))
	}
	return needs <= s.Cache.Free()
}

// chunk is how much of its prompt a request computes with a budget.
func (s *stepper) chunk(q *request.Request, budget int32) int32 {
	return min(q.Total-q.Computed, s.chunkLimit(q), budget)
}

// allocate gives all that run the blocks that planChunks has counted and
// returns the rest of the budget.
func (s *stepper) allocate(budget int32) int32 {
	if s.Batch.decodes > 0 {
		s.Cache.Step()
	}
	for _, id := range s.Batch.prefilling {
		q := &s.Requests.All[id]
		s.Cache.Extend(q.Blocks, int(q.Computed+q.Chunk))
		budget -= q.Chunk
	}
	return budget
}

// admit moves waiting requests into the batch while budget, places and blocks
// allow. The queue is never overtaken: the first that does not fit ends it. But
// those are skipped that came too late for the step or whose adapter cannot be used, as
// vLLM does, and those whose KV is elsewhere leave it for a while.
func (s *stepper) admit(budget int32) {
	b := &s.Batch
	for budget > 0 && s.Waiting.Len() > 0 && len(b.Running) < s.MaxSeqs {
		id := s.Front()
		q := &s.Requests.All[id]
		if s.isLate(q) || q.Info.Adapter != 0 && s.awaitsAdapter(q) {
			s.skip(id)
			continue
		}
		s.nameBlocks(q)
		s.recall(q)
		if !s.accept(q, budget) {
			s.watch.refuses(id)
			break
		}
		s.Waiting.Pop()
		s.watch.leaves(q, id)
		if q.Phase() == request.Loading {
			continue
		}
		b.Running = append(b.Running, id)
		b.prefilling = append(b.prefilling, id)
		q.MoveTo(request.Running)
		s.started(q)
		s.watch.admitted(q)
		q.Admitted = b.admissions
		b.admissions++
		q.PrefillEnd = q.Total
		budget -= q.Chunk
		s.Adapters.runs(q.Info.Adapter, +1)
		s.noteStart(q)
	}
	if len(s.skipped) > 0 {
		s.requeueSkipped()
	}
}

// awaitsAdapter says whether a request waits for its adapter, and notes for how long it did.
func (s *stepper) awaitsAdapter(q *request.Request) bool {
	waits := !s.Adapters.serves(q.Info.Adapter, s.Now)
	switch waited := q.LacksAdapter != request.Unset; {
	case waits && !waited:
		q.LacksAdapter = s.Now
	case !waits && waited:
		s.Metrics.AwaitedAdapter(s.Now, q)
		q.LacksAdapter = request.Unset
	}
	return waits
}

// accept gives a waiting request blocks for its first chunk, or has their
// content brought here. It returns false where the request has to wait on.
func (s *stepper) accept(q *request.Request, budget int32) bool {
	switch {
	case q.Phase() == request.Ready:
		return s.resume(q, budget)
	case q.Handoff == 0 && s.Tiers == nil:
		return s.start(q, s.match(q), budget)
	case q.Handoff != 0 && !q.Job:
		return s.reserveForHandoff(q)
	case s.Tiers != nil:
		return s.startOrLoad(q, budget)
	default:
		return s.start(q, s.match(q), budget)
	}
}

// resume gives a request whose KV has come blocks for its next chunk.
func (s *stepper) resume(q *request.Request, budget int32) bool {
	n := s.chunk(q, budget)
	if !s.extend(q, n) {
		return false
	}
	q.Chunk = n
	s.Holding--
	s.Advisor.resumed()
	return true
}

// start gives a request blocks for what is cached and its first chunk.
func (s *stepper) start(q *request.Request, cached, budget int32) bool {
	n := min(q.Total-cached, s.chunkLimit(q), budget)
	reserve := cached + n
	if s.reserve {
		reserve = q.Total
	}
	blocks, ok := s.admitBlocks(kv.Admission{
		Chain: q.Chain, Cached: int(cached), Tokens: int(cached + n), Reserve: int(reserve), Priority: q.Info.Priority,
		Anonymous: q.Anonymous,
	})
	if !ok {
		return false
	}
	q.Blocks, q.Computed, q.Chunk = blocks, cached, n
	s.Exports.admit(s.Now, q, cached, 0)
	if !q.Scheduled() {
		q.Cached, q.TierTokens = cached, [simulator.TierKinds]int32{}
	}
	return true
}

// startOrLoad starts a request, or brings here what lower tiers have of its
// prompt beyond what the cache has.
func (s *stepper) startOrLoad(q *request.Request, budget int32) bool {
	block := s.Cache.BlockTokens()
	cached := s.match(q)
	tokens := s.Tiers.Find(q.Chain, int(cached)/block, int(q.Total-1)/block) * block
	if tokens == 0 {
		if !s.start(q, cached, budget) {
			return false
		}
		s.Tiers.Touch(q)
		return true
	}
	reserve := tokens
	if s.reserve {
		reserve = int(q.Total)
	}
	if !s.admitLoad(q, kv.Admission{Cached: int(cached), Tokens: tokens, Reserve: reserve}) {
		return false
	}
	q.Computed, q.Chunk = int32(tokens), 0
	q.Loading = s.Now
	if !q.Scheduled() {
		q.Cached, q.TierTokens = cached, s.Tiers.Found()
	}
	s.Tiers.Load(q, s.Waiting.Front())
	s.Tiers.Touch(q)
	return true
}

// reserveForHandoff gives a request that is handed over its blocks, or returns false
// where there are not enough.
func (s *stepper) reserveForHandoff(q *request.Request) bool {
	cached := s.Cache.Match(q.Chain, int(q.Prompt-1))
	if !s.admitLoad(q, kv.Admission{Cached: cached, Tokens: int(q.Prompt), Reserve: int(q.Prompt)}) {
		return false
	}
	s.cluster.Handoffs.Reserved(q, int32(cached/s.Cache.BlockTokens()))
	return true
}

// admitLoad gives a request blocks whose content is elsewhere, or returns false where
// there are not enough.
func (s *stepper) admitLoad(q *request.Request, want kv.Admission) bool {
	want.Chain, want.Withheld, want.Priority = q.Chain, true, q.Info.Priority
	blocks, ok := s.admitBlocks(want)
	if !ok {
		return false
	}
	q.Blocks = blocks
	q.MoveTo(request.Loading)
	s.Loading++
	s.Exports.admit(s.Now, q, int32(want.Cached), int32(want.Tokens-want.Cached))
	return true
}

// admitBlocks is Cache.Admit, unless the advisor holds the request back.
func (s *stepper) admitBlocks(want kv.Admission) (kv.Sequence, bool) {
	if s.Advisor.defers(s.Now, want) {
		return 0, false
	}
	blocks, ok := s.Cache.Admit(want)
	if ok {
		s.Advisor.admitted()
	}
	return blocks, ok
}

// noteStart records the first time that a request is scheduled.
func (s *stepper) noteStart(q *request.Request) {
	first := !q.Scheduled()
	if first {
		q.ScheduledAt = s.Now
		s.Gauges.Found(q)
	}
	if q.Job {
		s.Port.Jobs++
		from := q
		q = s.cluster.Handoffs.Client(q)
		if first = !q.Scheduled(); first {
			q.Cached, q.TierTokens = from.Cached, from.TierTokens
		}
	}
	if first {
		q.ScheduledAt = s.Now
		s.Metrics.Scheduled(s.Now, q)
		s.Metrics.Believed(s.Now, q, int32(s.Cache.BlockTokens()))
	}
}
