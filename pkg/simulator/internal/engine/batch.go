// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/queue"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/run"
)

// batch is the requests that run on a replica. Almost all of them decode, and
// nearly every step gives each of those one token: they are in step. What such
// a step does is known from a few sums and from the order in which they will be
// done, so that it costs the same whatever the size of the batch. Requests
// that compute a chunk of a prompt are listed apart.
//
// A step that treats requests one by one (see constrained.go) first writes down
// where each stands, which takes all of them out of step.
type batch struct {
	state  *run.State
	memory *memory
	// service counts the tokens of tenants for the scheduler; nil where it reads none.
	service *queue.Service

	// Running is in order of admission, and prefilling the part of it that is
	// not in step, in the same order.
	Running, prefilling []int32
	admissions          int64

	// steps numbers the steps that have ended, the last of them at stepEnd, which gave those
	// in step their last token.
	steps   int64
	stepEnd simtime.Time
	// decodes counts the requests in step, context is the sum of their
	// computed tokens, and done has them by the step that ends them.
	decodes int32
	context int64
	done    lastSteps
	// shares counts the requests in step by cell.
	shares []share

	// constrained says that the step under way treats requests one by one, or,
	// between two steps, that the next one must.
	constrained bool

	leaving []int32 // scratch
}

// newBatch returns an empty batch with room for a few requests.
func newBatch(state *run.State, m *memory, service *queue.Service) batch {
	const few = 32
	return batch{
		state: state, memory: m, service: service, constrained: m.limits.Speculates(),
		Running: make([]int32, 0, few), prefilling: make([]int32, 0, few), done: make(lastSteps, 0, few),
	}
}

// share is how many requests in step belong to a cell.
type share struct {
	cell  int32
	count int64
}

func (b *batch) share(cell int32) *int64 {
	for i := range b.shares {
		if b.shares[i].cell == cell {
			return &b.shares[i].count
		}
	}
	b.shares = append(b.shares, share{cell: cell})
	return &b.shares[len(b.shares)-1].count
}

// join puts a request in step that has just got a token and needs more.
func (b *batch) join(q *request.Request, id int32) {
	q.Joined, q.Chunk = b.steps, 1
	b.decodes++
	b.context += int64(q.Computed)
	*b.share(q.Cell)++
	b.done.add(b.steps+int64(q.Finish-q.Total), id)
	b.service.Join(q.Info.Tenant, b.steps)
	b.memory.Cache.StartDecode(q.Blocks)
}

// leave takes a request out of the counts of those in step, after the steps that
// it is to be in. The order of ends forgets it elsewhere.
func (b *batch) leave(q *request.Request) {
	b.catchUp(q)
	q.Joined, q.Chunk = 0, 0
	b.decodes--
	b.context -= int64(q.Computed)
	*b.share(q.Cell)--
	b.service.Leave(q.Info.Tenant, b.steps)
}

// leaveEarly takes a request out of step, be it in the middle of one.
func (b *batch) leaveEarly(q *request.Request, id int32) {
	b.leave(q)
	b.done.remove(id)
}

// prefillsLast says that those in step are the first of the batch.
func (b *batch) prefillsLast() bool {
	return slices.Equal(b.prefilling, b.Running[len(b.Running)-len(b.prefilling):])
}

// leaveAll takes all requests out of step.
func (b *batch) leaveAll() {
	for _, id := range b.Running {
		q := &b.state.Requests.All[id]
		if !q.InStep() {
			continue
		}
		b.catchUp(q)
		q.Joined, q.Chunk, q.LastToken = 0, 0, b.stepEnd
		b.memory.Cache.StopDecode(q.Blocks)
	}
	b.service.LeaveAll(b.steps)
	b.decodes, b.context, b.done = 0, 0, b.done[:0]
	for i := range b.shares {
		b.shares[i].count = 0
	}
}

// regroup puts all requests that got a token in the step that has just ended
// in step again. Those that did not, though they decode, make the next step a
// constrained one too. A replica that speculates has no request in step.
func (b *batch) regroup() {
	if b.memory.limits.Speculates() {
		b.prefilling = append(b.prefilling[:0], b.Running...)
		return
	}
	b.constrained = false
	b.prefilling = b.prefilling[:0]
	for _, id := range b.Running {
		q := &b.state.Requests.All[id]
		if q.Decoding() && q.LastToken == b.state.Now && !q.Incomplete() {
			b.join(q, id)
			continue
		}
		b.constrained = b.constrained || q.Decoding()
		b.prefilling = append(b.prefilling, id)
	}
}

// catchUp writes down where a request in step stands.
func (b *batch) catchUp(q *request.Request) {
	n := int32(b.steps - q.Joined)
	q.Total += n
	q.Computed += n
	q.Joined = b.steps
}

// remove takes a request off the batch, whose order stays.
func (b *batch) remove(id int32) {
	i := slices.Index(b.Running, id)
	b.Running = append(b.Running[:i], b.Running[i+1:]...)
}

// take takes a request off a batch that may be in the middle of a step, whose
// duration stays.
func (b *batch) take(id int32) {
	b.remove(id)
	b.prefilling = slices.DeleteFunc(b.prefilling, func(other int32) bool { return other == id })
}

// catchUpAll makes every request say where it stands, for observers.
func (b *batch) catchUpAll() {
	for _, id := range b.Running {
		if q := &b.state.Requests.All[id]; q.InStep() {
			b.catchUp(q)
		}
	}
}

// longestPrompt is the most tokens that are left to compute of a prompt of which the step
// computes some.
func (b *batch) longestPrompt() int64 {
	longest := int32(0)
	for _, id := range b.prefilling {
		if q := &b.state.Requests.All[id]; q.Chunk > 0 && !q.Decoding() {
			longest = max(longest, q.Total-q.Computed)
		}
	}
	return int64(longest)
}

// sum adds up what the step computes, which its duration depends on.
func (b *batch) sum() latency.Step {
	step := b.decodeStep()
	for _, id := range b.prefilling {
		if q := &b.state.Requests.All[id]; q.Chunk > 0 {
			count(&step, q)
		}
	}
	return step
}

// decodeStep is what a step computes for the requests in step.
func (b *batch) decodeStep() latency.Step {
	// A new token attends to what was computed before it and to itself.
	reads := b.context + int64(b.decodes)
	return latency.Step{
		Sequences:      int(b.decodes),
		DecodeTokens:   int(b.decodes),
		SampledTokens:  int(b.decodes),
		ContextTokens:  reads,
		AttentionPairs: reads,
		DecodePairs:    reads,
	}
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
