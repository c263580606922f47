// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// formStep chooses what the next step computes, as vLLM's V1 scheduler does:
// one budget of tokens a step, spent first on the running requests in order
// of admission and then on the waiting ones in order of their queue. A prompt
// longer than what is left of the budget is cut into chunks. Blocks are
// allocated here; nothing else of the requests changes before the step ends.
//
// Where budget or blocks do not suffice for all that run, the order among them
// counts, and requests are treated one by one.
func (r *Replica) formStep() latency.Step {
	if r.Batch.constrained {
		r.regroup()
	}
	for {
		preempted := r.schedule()
		step := r.sumStep()
		// The first in the batch may have had to give way, and then no request
		// after it gets anything. The engine tries again at once.
		if step.Sequences > 0 || !preempted && !r.openSchedule() && !r.unblock() {
			return step
		}
	}
}

// schedule does what formStep says and returns whether anyone was preempted.
func (r *Replica) schedule() (preempted bool) {
	r.Watch.tries()
	b := &r.Batch
	budget := r.MaxTokens - b.decodes
	if !b.constrained {
		b.constrained = budget < 0 || !r.planChunks(budget)
	}
	if b.constrained {
		budget, preempted = r.scheduleConstrained()
	} else {
		budget = r.allocate(budget)
	}
	if !preempted {
		r.admit(budget)
	}
	return preempted
}

// planChunks says how much of their prompts the prefilling requests compute
// when all that are in step come first. It returns false where that is not the
// order of the batch, or where blocks do not suffice.
func (r *Replica) planChunks(budget int32) bool {
	b := &r.Batch
	needs := 0
	if b.decodes > 0 {
		needs = r.Cache.StepNeeds()
	}
	first := len(b.Running) - len(b.prefilling)
	for i, id := range b.prefilling {
		if b.Running[first+i] != id {
			return false
		}
		q := &r.Requests.All[id]
		q.Chunk = min(q.Total-q.Computed, r.chunkLimit(q), budget)
		budget -= q.Chunk
		needs += r.Cache.ExtendNeeds(q.Blocks, int(q.Computed+q.Chunk))
	}
	return needs <= r.Cache.Free()
}

// allocate gives all that run the blocks that planChunks has counted and
// returns the rest of the budget.
func (r *Replica) allocate(budget int32) int32 {
	if r.Batch.decodes > 0 {
		r.Cache.Step()
	}
	for _, id := range r.Batch.prefilling {
		q := &r.Requests.All[id]
		r.Cache.Extend(q.Blocks, int(q.Computed+q.Chunk))
		budget -= q.Chunk
	}
	return budget
}

// admit moves waiting requests into the batch while budget, places and blocks
// allow. The queue is never overtaken: the first that does not fit ends it. But
// those are skipped that came too late for the step or whose adapter cannot be used, as
// vLLM does, and those whose KV is elsewhere leave it for a while.
func (r *Replica) admit(budget int32) {
	b := &r.Batch
	for budget > 0 && r.Waiting.Len() > 0 && len(b.Running) < r.MaxSeqs {
		id := r.Front()
		q := &r.Requests.All[id]
		if r.isLate(q) || q.Info.Adapter != 0 && !r.Adapters.serves(q.Info.Adapter, r.Now) {
			r.skip(id)
			continue
		}
		r.nameBlocks(q)
		r.recall(q)
		if !r.accept(q, budget) {
			r.Watch.refuses(id)
			break
		}
		r.Waiting.Pop()
		r.Watch.leaves(q, id)
		if q.Phase() == request.Loading {
			continue
		}
		b.Running = append(b.Running, id)
		b.prefilling = append(b.prefilling, id)
		q.MoveTo(request.Running)
		r.started(q)
		r.Watch.admitted(q)
		q.Admitted = b.admissions
		b.admissions++
		q.PrefillEnd = q.Total
		budget -= q.Chunk
		r.Adapters.runs(q.Info.Adapter, +1)
		r.noteStart(q)
	}
	if len(r.skipped) > 0 {
		r.requeueSkipped()
	}
}

// accept gives a waiting request blocks for its first chunk, or has their
// content brought here. It returns false where the request has to wait on.
func (r *Replica) accept(q *request.Request, budget int32) bool {
	switch {
	case q.Phase() == request.Ready:
		return r.resume(q, budget)
	case q.Handoff == 0 && r.Tiers == nil:
		return r.start(q, r.match(q), budget)
	case q.Handoff != 0 && !q.Job:
		return r.reserveForHandoff(q)
	case r.Tiers != nil:
		return r.startOrLoad(q, budget)
	default:
		return r.start(q, r.match(q), budget)
	}
}

// start gives a request blocks for what is cached and its first chunk.
func (r *Replica) start(q *request.Request, cached, budget int32) bool {
	n := min(q.Total-cached, r.chunkLimit(q), budget)
	reserve := cached + n
	if r.reserve {
		reserve = q.Total
	}
	blocks, ok := r.admitBlocks(kv.Admission{
		Chain: q.Chain, Cached: int(cached), Tokens: int(cached + n), Reserve: int(reserve), Priority: q.Info.Priority,
	})
	if !ok {
		return false
	}
	q.Blocks, q.Computed, q.Chunk = blocks, cached, n
	r.Exports.admit(r.Now, q, cached, 0)
	if !q.Scheduled() {
		q.Cached, q.TierTokens = cached, [simulator.TierKinds]int32{}
	}
	return true
}

// startOrLoad starts a request, or brings here what lower tiers have of its
// prompt beyond what the cache has.
func (r *Replica) startOrLoad(q *request.Request, budget int32) bool {
	block := r.Cache.BlockTokens()
	cached := r.match(q)
	tokens := r.Tiers.Find(q.Chain, int(cached)/block, int(q.Total-1)/block) * block
	if tokens == 0 {
		if !r.start(q, cached, budget) {
			return false
		}
		r.Tiers.Touch(q)
		return true
	}
	reserve := tokens
	if r.reserve {
		reserve = int(q.Total)
	}
	if !r.admitLoad(q, kv.Admission{Cached: int(cached), Tokens: tokens, Reserve: reserve}) {
		return false
	}
	q.Computed, q.Chunk = int32(tokens), 0
	q.Loading = r.Now
	if !q.Scheduled() {
		q.Cached, q.TierTokens = cached, r.Tiers.Found()
	}
	r.Tiers.Load(q, r.Waiting.Front())
	r.Tiers.Touch(q)
	return true
}

// reserveForHandoff gives a request that is handed over its blocks, or returns false
// where there are not enough.
func (r *Replica) reserveForHandoff(q *request.Request) bool {
	cached := r.Cache.Match(q.Chain, int(q.Prompt-1))
	if !r.admitLoad(q, kv.Admission{Cached: cached, Tokens: int(q.Prompt), Reserve: int(q.Prompt)}) {
		return false
	}
	q.Incomplete = true
	r.Cluster.Handoffs.Reserved(q, int32(cached/r.Cache.BlockTokens()))
	return true
}

// admitLoad gives a request blocks whose content is elsewhere, or returns false where
// there are not enough.
func (r *Replica) admitLoad(q *request.Request, want kv.Admission) bool {
	want.Chain, want.Withheld, want.Priority = q.Chain, true, q.Info.Priority
	blocks, ok := r.admitBlocks(want)
	if !ok {
		return false
	}
	q.Blocks = blocks
	q.MoveTo(request.Loading)
	r.Loading++
	r.Exports.admit(r.Now, q, int32(want.Cached), int32(want.Tokens-want.Cached))
	return true
}

// noteStart records the first time that a request is scheduled.
func (r *Replica) noteStart(q *request.Request) {
	first := !q.Scheduled()
	if first {
		q.ScheduledAt = r.Now
		r.Gauges.Found(q)
	}
	if q.Job {
		r.Port.Jobs++
		from := q
		q = r.Cluster.Handoffs.Client(q)
		if first = !q.Scheduled(); first {
			q.Cached, q.TierTokens = from.Cached, from.TierTokens
		}
	}
	if first {
		q.ScheduledAt = r.Now
		r.Metrics.Scheduled(r.Now, q)
		r.Metrics.Believed(r.Now, q, int32(r.Cache.BlockTokens()))
	}
}

// fewStretches is how many texts most prompts have at most, with the answer.
const fewStretches = 6

// nameBlocks names the full blocks of prompt and answer together: an engine keeps
// the blocks of generated tokens findable too.
func (r *Replica) nameBlocks(q *request.Request) {
	if q.Chained || !r.PrefixCaching {
		return
	}
	r.extents = append(r.extents[:0], q.Info.Prompt.Extents...)
	if q.Chain == nil {
		q.Chain = make([]prompt.Stretch, 0, fewStretches)
	}
	if q.Answer.Tokens > 0 {
		r.extents = append(r.extents, q.Answer)
	}
	q.Chain = prompt.Prompt{Extents: r.extents}.FullStretches(q.Chain[:0], r.Cache.BlockTokens())
	prompt.ForAdapter(q.Chain, q.Info.Adapter)
	q.Chained = true
}

// sumStep adds up what the step computes, which its duration depends on.
func (r *Replica) sumStep() latency.Step {
	b := &r.Batch
	step := b.decodeStep()
	for _, id := range b.prefilling {
		if q := &r.Requests.All[id]; q.Chunk > 0 {
			count(&step, q)
		}
	}
	return step
}

// count adds one request's chunk to the sums.
func count(step *latency.Step, q *request.Request) {
	t, h := int64(q.Chunk), int64(q.Computed)
	pairs := t*h + t*(t+1)/2
	step.Sequences++
	step.ContextTokens += h + t
	step.AttentionPairs += pairs
	if q.Decoding() {
		step.DecodeTokens += int(t)
		step.DecodePairs += pairs
		step.DraftPairs += pairs - (h + t)
		step.SampledTokens += int(t)
		return
	}
	step.PrefillTokens += int(t)
	step.DoublePromptPairs += t * (2*int64(q.PrefillEnd) + t)
	if q.Computed+q.Chunk == q.Total {
		step.SampledTokens++
	}
}
