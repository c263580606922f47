// SPDX-License-Identifier: Apache-2.0

package simulator

import "windtunnel.dev/windtunnel/pkg/latency"

// formStep chooses what the next step computes, as vLLM's V1 scheduler does:
// one budget of tokens a step, spent first on the running requests in order
// of admission and then on the waiting ones in order of their queue. A prompt
// longer than what is left of the budget is cut into chunks. Blocks are
// allocated here; nothing else of the requests changes before applyStep.
//
// Where blocks run out, the request admitted last is preempted, which may be
// the very one that needs them. No request is admitted in such a step: it
// would take the blocks that were just made free.
func (s *simulation) formStep(r *replica) latency.Step {
	var step latency.Step
	budget := r.maxTokens
	preempted := false
	for i := 0; i < len(r.running) && budget > 0; i++ {
		q := &s.requests.all[r.running[i]]
		n := min(q.total-q.computed, budget)
		if q.computed+n >= q.extendAt {
			batch := len(r.running)
			fits := s.makeRoom(r, q, q.computed+n)
			preempted = preempted || len(r.running) < batch
			if !fits {
				break
			}
		}
		q.chunk = n
		budget -= n
		count(&step, q)
	}
	if !preempted {
		s.admit(r, budget, &step)
	}
	return step
}

// makeRoom allocates blocks for the first `tokens` tokens of a running
// request, preempting from the end of the batch until they fit. It returns
// false if that preempted the request itself.
func (s *simulation) makeRoom(r *replica, q *request, tokens int32) bool {
	for !r.extend(q, tokens) {
		last := r.running[len(r.running)-1]
		s.preempt(r, last)
		if &s.requests.all[last] == q {
			return false
		}
	}
	return true
}

// preempt takes the last request of the batch and puts it at the front of the
// wait queue. It keeps the tokens it has generated and loses its KV, save for
// what the prefix cache still holds when it comes back.
func (s *simulation) preempt(r *replica, id int32) {
	q := &s.requests.all[id]
	r.running = r.running[:len(r.running)-1]
	r.cache.Release(&q.blocks)
	q.high = max(q.high, q.computed)
	q.computed, q.chunk, q.extendAt = 0, 0, 0
	q.phase = phaseWaiting
	r.waiting.pushFront(id)
	r.use.Preemptions++
	s.metrics.cells[q.cell].Preemptions++
	for _, o := range s.observers {
		o.preempted(s, id)
	}
}

// admit moves waiting requests into the batch while budget, places and blocks
// allow. The queue is never overtaken: the first that does not fit ends it.
func (s *simulation) admit(r *replica, budget int32, step *latency.Step) {
	for budget > 0 && len(r.running) < r.maxSeqs && r.waiting.len() > 0 {
		id := r.waiting.at(0)
		q := &s.requests.all[id]
		// The last token is always computed: its output is the next token.
		cached := int32(r.cache.Match(q.chain, int(q.total-1)))
		n := min(q.total-cached, budget)
		if !r.extend(q, cached+n) {
			return
		}
		r.waiting.popFront()
		r.running = append(r.running, id)
		q.phase = phaseRunning
		q.computed, q.chunk, q.prefillEnd = cached, n, q.total
		budget -= n
		count(step, q)
		if !q.scheduled {
			q.scheduled, q.cached = true, cached
			s.metrics.scheduled(s.now, q)
		}
	}
}

// extend allocates blocks for the first `tokens` tokens of a request and makes
// its full ones findable, or changes nothing and returns false.
func (r *replica) extend(q *request, tokens int32) bool {
	if !r.cache.Extend(&q.blocks, q.chain, int(tokens)) {
		return false
	}
	block := int32(r.cache.BlockTokens())
	capacity := (tokens + block - 1) / block * block
	q.extendAt = capacity + 1
	if r.prefixCaching && tokens < capacity {
		q.extendAt = capacity
	}
	return true
}

// count adds the request's chunk to the sums that step times depend on.
func count(step *latency.Step, q *request) {
	t, h := int64(q.chunk), int64(q.computed)
	// A new token attends to what was computed before it and to itself.
	pairs := t*h + t*(t+1)/2
	step.Sequences++
	step.ContextTokens += h + t
	step.AttentionPairs += pairs
	if q.decoding() {
		step.DecodeTokens++
		step.DecodePairs += pairs
		step.SampledTokens++
		return
	}
	step.PrefillTokens += int(t)
	if q.computed+q.chunk == q.total {
		step.SampledTokens++
	}
}
