// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"math"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/kv/kvtest"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// plainHandoff is a prompt on its way from the replica that computes it to the
// one that decodes. The job computes it, the request is what its user sees.
type plainHandoff struct {
	request, job    *plainRequest
	prefill, decode *plainReplica

	came     bool // the job entered the queue of its replica
	asked    bool // the request waits for room, or has it
	reserved bool // it has it
	done     bool // the job is
	ready    bool // the request may decode
	doneAt   simtime.Time
	begun    simtime.Time
	readyAt  simtime.Time

	// Blocks of the prompt: given are those that the decode replica had, needs and
	// arrived how many are to come and have come. Counted from the first one of
	// the prompt, confirmed are computed, available may be sent, sent have been.
	given, needs, arrived      int
	confirmed, available, sent int
	parts                      []*plainPart // on their way, in order
}

// plainPart is consecutive blocks that are sent together.
type plainPart struct {
	handoff *plainHandoff
	blocks  int
	until   int            // the blocks of the prompt up to its end
	next    *plainPart     // what follows when it has landed
	flight  *plainTransfer // nil before what it follows has landed
	landed  bool
}

func (q *plainRequest) handsOver(to policy.Route) bool {
	return to.Prefill != policy.NoPrefill && to.Prefill != to.Endpoint && q.Generated() == 0
}

func (q *plainRequest) isJob() bool { return q.handoff != nil && q.handoff.job == q }

// receives says that the request's prompt is computed elsewhere, and not all of
// it is here.
func (q *plainRequest) receives() bool { return q.handoff != nil && q.handoff.request == q }

// done says that a job has computed its prompt.
func (q *plainRequest) done() bool { return q.isJob() && q.Computed == q.Total }

// shown is whose figures a request's first step counts in.
func (q *plainRequest) shown() *plainRequest {
	if q.isJob() {
		return q.handoff.request
	}
	return q
}

// hireJob lets a replica compute a request's prompt.
func (p *plain) hireJob(q *plainRequest, prefill *plainReplica) {
	job := &plainRequest{}
	job.Info, job.Cell = q.Info, q.Cell
	job.Prompt, job.Total, job.Finish = q.Prompt, q.Prompt, q.Prompt+1
	job.Replica, job.FirstToken, job.LastToken = int32(prefill.index), request.Unset, request.Unset
	job.text = q.Info.Prompt
	job.identities = toldApart(job.text.FullBlocks(nil, prefill.BlockTokens), job.Info.Adapter)
	job.handoff = &plainHandoff{request: q, job: job, prefill: prefill, decode: p.replicas[q.Replica], begun: p.now}
	q.handoff = job.handoff
	p.approach(prefill, job)
}

// come lets a request enter a queue, or keeps a job at the door of its decode replica
// while too many hand-overs are under way to that.
func (p *plain) come(r *plainReplica, q *plainRequest) {
	if q.isJob() && p.throttled(q.handoff.decode) {
		q.handoff.decode.door = append(q.handoff.decode.door, q)
		return
	}
	if q.isJob() {
		q.handoff.came = true
	}
	p.enter(r, q)
}

func (p *plain) throttled(decode *plainReplica) bool {
	underWay := 0
	for _, q := range p.flying {
		if h := q.handoff; h != nil && h.decode == decode && h.came {
			underWay++
		}
	}
	return p.Handoff.MaxPending > 0 && underWay >= p.Handoff.MaxPending
}

// openDoor lets a job enter if there is room for one.
func (p *plain) openDoor(decode *plainReplica) {
	if len(decode.door) > 0 && !p.throttled(decode) {
		q := decode.door[0]
		decode.door = decode.door[1:]
		p.come(q.handoff.prefill, q)
	}
}

// chunkOfJob makes of the end of a job's chunk what it means for the hand-over.
func (p *plain) chunkOfJob(q *plainRequest) {
	h := q.handoff
	h.confirmed = max(h.confirmed, sendable(q, q.Computed))
	if p.Handoff.Granularity == simulator.GranularityBlock {
		return
	}
	h.available = max(h.available, h.confirmed)
	p.askForRoom(h)
	p.collect(h)
	p.sendAvailable(h)
}

// sendable is how many blocks of a job can be sent when so many of its tokens are
// computed: the last one only when it is complete.
func sendable(q *plainRequest, computed int32) int {
	r := q.handoff.prefill
	if computed == q.Total {
		return blocksOf(computed, r)
	}
	return int(computed) / r.BlockTokens
}

// streamChunk sends a job's chunk while it is computed.
func (p *plain) streamChunk(q *plainRequest) {
	if !q.isJob() || q.Chunk == 0 || p.Handoff.Granularity != simulator.GranularityStream {
		return
	}
	h := q.handoff
	h.available = max(h.available, sendable(q, q.Computed+q.Chunk))
	p.askForRoom(h)
	p.sendAvailable(h)
}

// prefilled ends a job.
func (p *plain) prefilled(r *plainReplica, q *plainRequest) {
	r.tellCompletion(p.now, q)
	h := q.handoff
	h.done, h.doneAt = true, p.now
	h.available = h.confirmed
	p.askForRoom(h)
	p.sendAvailable(h)
	p.collect(h)
}

func blocksOf(tokens int32, r *plainReplica) int {
	return (int(tokens) + r.BlockTokens - 1) / r.BlockTokens
}

// askForRoom puts the request into the queue of its decode replica.
func (p *plain) askForRoom(h *plainHandoff) {
	if !h.asked {
		h.asked = true
		p.enter(h.decode, h.request)
	}
}

// reserve gives the front of the queue room for its prompt.
func (p *plain) reserve(r *plainReplica, q *plainRequest) bool {
	h := q.handoff
	cached := r.cache.Match(q.identities, int(q.Prompt-1))
	sequence, ok := r.allot(p.now, kvtest.Admission{
		Chain: q.identities, Cached: cached, Tokens: int(q.Prompt), Reserve: int(q.Prompt),
		Withheld: true, Priority: q.Info.Priority,
	})
	if !ok {
		return false
	}
	r.waiting = r.waiting[1:]
	r.loading = append(r.loading, q)
	q.sequence = sequence
	r.noteAdmission(p.now, q, int32(cached), q.Prompt-int32(cached))
	h.reserved = true
	h.given = cached / r.BlockTokens
	h.needs = blocksOf(q.Prompt, r) - h.given
	p.sendAvailable(h)
	return true
}

// sendAvailable sends what may be sent and was not. Where that crosses the mark
// at which decode may begin, what lies beyond follows what lies before.
func (p *plain) sendAvailable(h *plainHandoff) {
	from := max(h.given, h.sent)
	if !h.reserved || h.available <= from {
		return
	}
	h.sent = h.available
	first := &plainPart{handoff: h, blocks: h.available - from, until: h.available}
	h.parts = append(h.parts, first)
	if mark := h.given + p.mark(h); p.pipelined() && from < mark && mark < h.available {
		first.blocks, first.until = mark-from, mark
		first.next = &plainPart{handoff: h, blocks: h.available - mark, until: h.available}
		h.parts = append(h.parts, first.next)
	}
	p.dispatch(first)
}

func (p *plain) pipelined() bool { return p.Handoff.StartShare > 0 && p.Handoff.StartShare < 1 }

// mark is how many blocks have to come before decode begins.
func (p *plain) mark(h *plainHandoff) int {
	if !p.pipelined() {
		return h.needs
	}
	return int(math.Ceil(p.Handoff.StartShare * float64(h.needs)))
}

// dispatch sends a part: block by block, each waits for the network's latencies,
// the first one in the network.
func (p *plain) dispatch(part *plainPart) {
	var wait time.Duration
	if p.Handoff.Granularity == simulator.GranularityBlock {
		wait = time.Duration(part.blocks-1) * (p.Handoff.Egress.Latency + p.Handoff.Ingress.Latency)
	}
	h := part.handoff
	part.flight = p.transmitAfter(h.prefill, wait, part.blocks, func() {
		part.landed = true
		if part.next != nil {
			p.dispatch(part.next)
		}
		p.collect(h)
	}, nil, h.prefill.egress, h.decode.ingress)
}

// collect takes in what has landed and is computed, and lets the request go on
// where that suffices.
func (p *plain) collect(h *plainHandoff) {
	h.parts = slices.DeleteFunc(h.parts, func(part *plainPart) bool {
		arrives := part.landed && part.until <= h.confirmed
		if arrives {
			h.arrived += part.blocks
		}
		return arrives
	})
	if !h.reserved || !h.done {
		return
	}
	if !h.ready && h.arrived >= p.mark(h) {
		p.makeReady(h)
	}
	if h.arrived == h.needs {
		p.finishHandoff(h)
	}
}

// makeReady lets the request decode.
func (p *plain) makeReady(h *plainHandoff) {
	q := h.request
	h.ready, h.readyAt = true, p.now
	q.Computed = q.Prompt - 1
	h.decode.loading = without(h.decode.loading, q)
	h.decode.newcomers = append(h.decode.newcomers, q)
	h.decode.wait(q)
	cell := p.metrics.Touch(p.now, q.Cell)
	cell.Handoff.Record(int64(p.now.Sub(h.doneAt)))
	cell.Handoffs++
	p.wake(h.decode)
}

// finishHandoff ends a hand-over of which all has arrived.
func (p *plain) finishHandoff(h *plainHandoff) {
	p.tellHandOver(h)
	h.decode.cache.Publish(h.request.sequence)
	h.request.handoff, h.job.handoff = nil, nil
	free := h.prefill.cache.Release
	if p.Handoff.SingleOwner {
		free = h.prefill.cache.Discard
	}
	p.letGo(h.prefill, h.job, free)
	p.openDoor(h.decode)
}

// loseHandoff ends a hand-over of which the request wants no more.
func (p *plain) loseHandoff(q *plainRequest) {
	if !q.receives() {
		return
	}
	h := q.handoff
	p.takeBack(h)
	p.dismiss(h.prefill, h.job)
	p.letGo(h.prefill, h.job, h.prefill.cache.Release)
	p.openDoor(h.decode)
}

// restartHandoff lets the hand-over of a job that is preempted begin afresh: what
// waits for it elsewhere would keep room from others, and they from it.
func (p *plain) restartHandoff(h *plainHandoff) {
	if !h.asked {
		return
	}
	p.cancelParts(h)
	p.dismiss(h.decode, h.request)
	p.dropBlocks(h.decode, h.request)
	h.asked, h.reserved = false, false
	h.given, h.needs, h.arrived, h.confirmed, h.available, h.sent = 0, 0, 0, 0, 0, 0
}

// takeBack cancels what is on its way and parts the request from its job.
func (p *plain) takeBack(h *plainHandoff) {
	p.cancelParts(h)
	h.request.handoff, h.job.handoff = nil, nil
}

func (p *plain) cancelParts(h *plainHandoff) {
	for _, part := range h.parts {
		if part.flight != nil && !part.landed {
			p.cancel(part.flight)
		}
	}
	h.parts = nil
}

// dismiss takes a request off everything but its blocks.
func (p *plain) dismiss(r *plainReplica, q *plainRequest) {
	p.events = slices.DeleteFunc(p.events, func(e plainEvent) bool { return e.kind == plainEntry && e.request == q })
	queued := slices.Contains(r.waiting, q)
	if q.isJob() {
		q.handoff.decode.door = without(q.handoff.decode.door, q)
	}
	switch {
	case slices.Contains(r.running, q):
		r.useAdapter(q)
		r.announce("ran", q)
	case queued || slices.Contains(r.loading, q):
		r.announce("waited", q)
	}
	r.waiting, r.running, r.loading = without(r.waiting, q), without(r.running, q), without(r.loading, q)
	for _, load := range q.loads {
		p.cancel(load)
	}
	q.loads = nil
	if queued {
		p.wake(r)
	}
}

// giveUpHandoff lets go of the job that was done last of those whose request has
// no room, unless the blocks of another one are on their way: the request will
// compute its prompt itself.
func (p *plain) giveUpHandoff(r *plainReplica) bool {
	var last *plainHandoff
	for _, q := range p.flying {
		h := q.handoff
		if h == nil || h.prefill != r || !h.done {
			continue
		}
		if h.reserved {
			return false
		}
		if last == nil || h.doneAt >= last.doneAt {
			last = h
		}
	}
	if last == nil {
		return false
	}
	p.loseHandoff(last.request)
	p.wake(last.decode)
	return true
}
