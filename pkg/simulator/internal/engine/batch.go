// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/queue"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
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
	// Running is in order of admission, and prefilling the part of it that is
	// not in step, in the same order.
	Running, prefilling []int32
	admissions          int64

	// steps numbers the steps that have ended.
	steps int64
	// decodes counts the requests in step, context is the sum of their
	// computed tokens, and done has them by the step that ends them.
	decodes int32
	context int64
	done    []finish
	// shares counts the requests in step by cell.
	shares []share

	// constrained says that the step under way treats requests one by one, or,
	// between two steps, that the next one must.
	constrained bool

	leaving []int32 // scratch
}

// newBatch returns a batch with room for a few requests.
func newBatch() batch {
	const few = 32
	return batch{Running: make([]int32, 0, few), prefilling: make([]int32, 0, few), done: make([]finish, 0, few)}
}

// finish is when a request in step gives its last token.
type finish struct {
	step, admitted int64
	id             int32
}

func (f finish) Before(g finish) bool {
	if f.step != g.step {
		return f.step < g.step
	}
	return f.admitted < g.admitted
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

// joinStep puts a request in step that has just got a token and needs more.
func (r *Replica) joinStep(q *request.Request, id int32) {
	b := &r.Batch
	q.InStep, q.Joined, q.Chunk = true, b.steps, 1
	b.decodes++
	b.context += int64(q.Computed)
	*b.share(q.Cell)++
	b.done = append(b.done, finish{step: b.steps + int64(q.Finish-q.Total), admitted: q.Admitted, id: id})
	queue.SiftUp(b.done)
	r.service.Join(q.Info.Tenant, b.steps)
	r.Cache.StartDecode(q.Blocks)
}

// leaveStep takes a request out of the counts of those in step, after the steps that
// it is to be in. The order of ends forgets it elsewhere.
func (r *Replica) leaveStep(q *request.Request) {
	b := &r.Batch
	b.catchUp(q)
	q.InStep, q.Chunk = false, 0
	b.decodes--
	b.context -= int64(q.Computed)
	*b.share(q.Cell)--
	r.service.Leave(q.Info.Tenant, b.steps)
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

// takeAllOutOfStep takes all requests out of step.
func (r *Replica) takeAllOutOfStep() {
	b := &r.Batch
	for _, id := range b.Running {
		q := &r.Requests.All[id]
		if !q.InStep {
			continue
		}
		b.catchUp(q)
		q.InStep, q.Chunk, q.LastToken = false, 0, r.stepEnd
		r.Cache.StopDecode(q.Blocks)
	}
	r.service.LeaveAll(b.steps)
	b.decodes, b.context, b.done = 0, 0, b.done[:0]
	for i := range b.shares {
		b.shares[i].count = 0
	}
}

// catchUpAll makes every request say where it stands, for those who watch.
func (r *Replica) catchUpAll() {
	for _, id := range r.Batch.Running {
		if q := &r.Requests.All[id]; q.InStep {
			r.Batch.catchUp(q)
		}
	}
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
