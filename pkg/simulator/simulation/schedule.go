// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simulator"
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
		q := &r.requests.all[id]
		q.chunk = min(q.total-q.computed, r.chunkLimit(q), budget)
		budget -= q.chunk
		needs += r.cache.ExtendNeeds(q.blocks, int(q.computed+q.chunk))
	}
	return needs <= r.cache.Free()
}

// chunkLimit is the most tokens of a request that one step computes.
func (r *replica) chunkLimit(q *request) int32 {
	if hint := q.info.Hints.PrefillChunk; hint > 0 {
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
		q := &r.requests.all[id]
		r.cache.Extend(q.blocks, int(q.computed+q.chunk))
		budget -= q.chunk
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
		q := &r.requests.all[id]
		if r.isLate(q) || q.info.Adapter != 0 && !r.adapters.serves(q.info.Adapter, r.now) {
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
		if q.Phase() == phaseLoading {
			continue
		}
		b.running = append(b.running, id)
		b.prefilling = append(b.prefilling, id)
		q.moveTo(phaseRunning)
		r.started(q)
		r.watch.admitted(q)
		q.admitted = b.admissions
		b.admissions++
		q.prefillEnd = q.total
		budget -= q.chunk
		r.adapters.runs(q.info.Adapter, +1)
		r.noteStart(q)
	}
	if len(r.skipped) > 0 {
		r.requeueSkipped()
	}
}

// accept gives a waiting request blocks for its first chunk, or has their
// content brought here. It returns false where the request has to wait on.
func (r *replica) accept(q *request, budget int32) bool {
	switch {
	case q.Phase() == phaseReady:
		return r.resume(q, budget)
	case q.handoff == 0 && r.tiers == nil:
		return r.start(q, r.match(q), budget)
	case q.handoff != 0 && !q.job:
		return r.cluster.reserveForHandoff(r, q)
	case r.tiers != nil:
		return r.tiers.startOrLoad(q, budget)
	default:
		return r.start(q, r.match(q), budget)
	}
}

// match returns how many leading tokens of a request the cache has. The last
// token is always computed: its output is the next token.
func (r *replica) match(q *request) int32 {
	return int32(r.cache.Match(q.chain, int(q.total-1)))
}

// start gives a request blocks for what is cached and its first chunk.
func (r *replica) start(q *request, cached, budget int32) bool {
	n := min(q.total-cached, r.chunkLimit(q), budget)
	reserve := cached + n
	if r.reserve {
		reserve = q.total
	}
	blocks, ok := r.admitBlocks(kv.Admission{
		Chain: q.chain, Cached: int(cached), Tokens: int(cached + n), Reserve: int(reserve), Priority: q.info.Priority,
	})
	if !ok {
		return false
	}
	q.blocks, q.computed, q.chunk = blocks, cached, n
	r.exports.admit(r.now, q, cached, 0)
	if !q.scheduled() {
		q.cached, q.tierTokens = cached, [simulator.TierKinds]int32{}
	}
	return true
}

// noteStart records the first time that a request is scheduled.
func (r *replica) noteStart(q *request) {
	first := !q.scheduled()
	if first {
		q.scheduledAt = r.now
		r.gauges.found(q)
	}
	if q.job {
		r.port.jobs++
		from := q
		q = &r.requests.all[r.cluster.handoffs.of(q).decode]
		if first = !q.scheduled(); first {
			q.cached, q.tierTokens = from.cached, from.tierTokens
		}
	}
	if first {
		q.scheduledAt = r.now
		r.metrics.scheduled(r.now, q)
		r.metrics.believed(r.now, q, int32(r.cache.BlockTokens()))
	}
}

// fewStretches is how many texts most prompts have at most, with the answer.
const fewStretches = 6

// nameBlocks names the full blocks of prompt and answer together: an engine keeps
// the blocks of generated tokens findable too.
func (r *replica) nameBlocks(q *request) {
	if q.chained || !r.prefixCaching {
		return
	}
	r.cluster.extents = append(r.cluster.extents[:0], q.info.Prompt.Extents...)
	if q.chain == nil {
		q.chain = make([]prompt.Stretch, 0, fewStretches)
	}
	if q.answer.Tokens > 0 {
		r.cluster.extents = append(r.cluster.extents, q.answer)
	}
	q.chain = prompt.Prompt{Extents: r.cluster.extents}.FullStretches(q.chain[:0], r.cache.BlockTokens())
	prompt.ForAdapter(q.chain, q.info.Adapter)
	q.chained = true
}

// sumStep adds up what the step computes, which its duration depends on.
func (r *replica) sumStep() latency.Step {
	b := &r.batch
	step := b.decodeStep()
	for _, id := range b.prefilling {
		if q := &r.requests.all[id]; q.chunk > 0 {
			count(&step, q)
		}
	}
	return step
}

// count adds one request's chunk to the sums.
func count(step *latency.Step, q *request) {
	t, h := int64(q.chunk), int64(q.computed)
	pairs := t*h + t*(t+1)/2
	step.Sequences++
	step.ContextTokens += h + t
	step.AttentionPairs += pairs
	if q.decoding() {
		step.DecodeTokens += int(t)
		step.DecodePairs += pairs
		step.DraftPairs += pairs - (h + t)
		step.SampledTokens += int(t)
		return
	}
	step.PrefillTokens += int(t)
	step.DoublePromptPairs += t * (2*int64(q.prefillEnd) + t)
	if q.computed+q.chunk == q.total {
		step.SampledTokens++
	}
}
