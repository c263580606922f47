// SPDX-License-Identifier: Apache-2.0

package simulation

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
func (r *replica) formStep() latency.Step {
	if r.batch.constrained {
		r.regroup()
	}
	for {
		preempted := r.schedule()
		step := r.sumStep()
		// The first in the batch may have had to give way, and then nobody
		// after it gets anything. The engine tries again at once.
		if step.Sequences > 0 || !preempted && !r.openSchedule() && !r.unblock() {
			return step
		}
	}
}

// schedule does what formStep says and returns whether anyone was preempted.
func (r *replica) schedule() (preempted bool) {
	r.watch.tries()
	b := &r.batch
	budget := r.maxTokens - b.decodes
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
func (r *replica) planChunks(budget int32) bool {
	b := &r.batch
	needs := 0
	if b.decodes > 0 {
		needs = r.cache.StepNeeds()
	}
	first := len(b.running) - len(b.prefilling)
	for i, id := range b.prefilling {
		if b.running[first+i] != id {
			return false
		}
		q := &r.requests.All[id]
		q.Chunk = min(q.Total-q.Computed, r.chunkLimit(q), budget)
		budget -= q.Chunk
		needs += r.cache.ExtendNeeds(q.Blocks, int(q.Computed+q.Chunk))
	}
	return needs <= r.cache.Free()
}

// chunkLimit is the most tokens of a request that one step computes.
func (r *replica) chunkLimit(q *request.Request) int32 {
	if hint := q.Info.Hints.PrefillChunk; hint > 0 {
		return min(int32(hint), r.longPrefill)
	}
	return r.longPrefill
}

// allocate gives all that run the blocks that planChunks has counted and
// returns the rest of the budget.
func (r *replica) allocate(budget int32) int32 {
	if r.batch.decodes > 0 {
		r.cache.Step()
	}
	for _, id := range r.batch.prefilling {
		q := &r.requests.All[id]
		r.cache.Extend(q.Blocks, int(q.Computed+q.Chunk))
		budget -= q.Chunk
	}
	return budget
}

// admit moves waiting requests into the batch while budget, places and blocks
// allow. The queue is never overtaken: the first that does not fit ends it. But
// those are skipped that came too late for the step or whose adapter cannot be used, as
// vLLM does, and those whose KV is elsewhere leave it for a while.
func (r *replica) admit(budget int32) {
	b := &r.batch
	for budget > 0 && r.waiting.Len() > 0 && len(b.running) < r.maxSeqs {
		id := r.front()
		q := &r.requests.All[id]
		if r.isLate(q) || q.Info.Adapter != 0 && !r.adapters.serves(q.Info.Adapter, r.now) {
			r.skip(id)
			continue
		}
		r.nameBlocks(q)
		r.recall(q)
		if !r.accept(q, budget) {
			r.watch.refuses(id)
			break
		}
		r.waiting.Pop()
		r.watch.leaves(q, id)
		if q.Phase() == request.Loading {
			continue
		}
		b.running = append(b.running, id)
		b.prefilling = append(b.prefilling, id)
		q.MoveTo(request.Running)
		r.started(q)
		r.watch.admitted(q)
		q.Admitted = b.admissions
		b.admissions++
		q.PrefillEnd = q.Total
		budget -= q.Chunk
		r.adapters.runs(q.Info.Adapter, +1)
		r.noteStart(q)
	}
	if len(r.skipped) > 0 {
		r.requeueSkipped()
	}
}

// accept gives a waiting request blocks for its first chunk, or has their
// content brought here. It returns false where the request has to wait on.
func (r *replica) accept(q *request.Request, budget int32) bool {
	switch {
	case q.Phase() == request.Ready:
		return r.resume(q, budget)
	case q.Handoff == 0 && r.tiers == nil:
		return r.start(q, r.match(q), budget)
	case q.Handoff != 0 && !q.Job:
		return r.cluster.reserveForHandoff(r, q)
	case r.tiers != nil:
		return r.tiers.startOrLoad(q, budget)
	default:
		return r.start(q, r.match(q), budget)
	}
}

// match returns how many leading tokens of a request the cache has. The last
// token is always computed: its output is the next token.
func (r *replica) match(q *request.Request) int32 {
	return int32(r.cache.Match(q.Chain, int(q.Total-1)))
}

// start gives a request blocks for what is cached and its first chunk.
func (r *replica) start(q *request.Request, cached, budget int32) bool {
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
	r.exports.admit(r.now, q, cached, 0)
	if !q.Scheduled() {
		q.Cached, q.TierTokens = cached, [simulator.TierKinds]int32{}
	}
	return true
}

// noteStart records the first time that a request is scheduled.
func (r *replica) noteStart(q *request.Request) {
	first := !q.Scheduled()
	if first {
		q.ScheduledAt = r.now
		r.gauges.Found(q)
	}
	if q.Job {
		r.port.jobs++
		from := q
		q = &r.requests.All[r.cluster.handoffs.of(q).decode]
		if first = !q.Scheduled(); first {
			q.Cached, q.TierTokens = from.Cached, from.TierTokens
		}
	}
	if first {
		q.ScheduledAt = r.now
		r.metrics.Scheduled(r.now, q)
		r.metrics.Believed(r.now, q, int32(r.cache.BlockTokens()))
	}
}

// fewStretches is how many texts most prompts have at most, with the answer.
const fewStretches = 6

// nameBlocks names the full blocks of prompt and answer together: an engine keeps
// the blocks of generated tokens findable too.
func (r *replica) nameBlocks(q *request.Request) {
	if q.Chained || !r.prefixCaching {
		return
	}
	r.cluster.extents = append(r.cluster.extents[:0], q.Info.Prompt.Extents...)
	if q.Chain == nil {
		q.Chain = make([]prompt.Stretch, 0, fewStretches)
	}
	if q.Answer.Tokens > 0 {
		r.cluster.extents = append(r.cluster.extents, q.Answer)
	}
	q.Chain = prompt.Prompt{Extents: r.cluster.extents}.FullStretches(q.Chain[:0], r.cache.BlockTokens())
	prompt.ForAdapter(q.Chain, q.Info.Adapter)
	q.Chained = true
}

// sumStep adds up what the step computes, which its duration depends on.
func (r *replica) sumStep() latency.Step {
	b := &r.batch
	step := b.decodeStep()
	for _, id := range b.prefilling {
		if q := &r.requests.All[id]; q.Chunk > 0 {
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
