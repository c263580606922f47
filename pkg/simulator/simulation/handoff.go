// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"fmt"
	"math"
	"time"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// handoff is the way of one prompt's KV from the replica that computes it to the
// one that decodes. The request has two records meanwhile: the one that users
// see, which decodes, and its prefill job, which nobody hears of.
type handoff struct {
	decode, job int32
	from, to    int32
	// asked says that the request is in the queue of the decode replica,
	// reserved that it has its blocks there, ready that it may decode.
	asked, reserved, ready bool
	// counted says that it has one of the places that Handoff.MaxPending gives.
	counted bool
	// done is when the job had computed the prompt; unset before.
	done simtime.Time
	// begun is when the request was sent on its way, readyAt when it might decode; unset before.
	begun, readyAt simtime.Time
	// In blocks of the prompt: what has been computed, what can be sent and what
	// has been, all counted from the first; what there is to send, what is or was
	// under way and what has come of that. mark is how much has to have come
	// before decode begins.
	confirmed, available, sent int32
	needs, posted, arrived     int32
	mark                       int32
	flights                    []*flight
}

// handoffs holds the hand-overs in flight. Their numbers are used again.
type handoffs struct {
	all  []handoff
	free []int32
}

func (p *handoffs) take() int32 {
	if n := len(p.free); n > 0 {
		at := p.free[n-1]
		p.free = p.free[:n-1]
		return at
	}
	p.all = append(p.all, handoff{})
	return int32(len(p.all) - 1)
}

// of returns the hand-over that a request or a job is part of.
func (p *handoffs) of(q *request.Request) *handoff { return &p.all[q.Handoff-1] }

// handOver has another replica compute the prompt of a request first.
func (c *cluster) handOver(id int32, from, to int) {
	c.checkHandOver(&c.replicas[from], &c.replicas[to])
	at := c.handoffs.take()
	job := c.requests.Take()
	q, j := &c.requests.All[id], &c.requests.All[job]
	j.Info, j.Prompt, j.Cell = q.Info, q.Prompt, q.Cell
	j.Total, j.Finish = j.Prompt, j.Prompt
	j.LastToken, j.FirstToken, j.ScheduledAt = request.Unset, request.Unset, request.Unset
	j.Job, j.Replica = true, int32(from)
	q.Handoff, j.Handoff = at+1, at+1
	q.MoveTo(request.Remote)
	c.handoffs.all[at] = handoff{
		decode: id, job: job, from: int32(from), to: int32(to), begun: c.now, done: request.Unset, readyAt: request.Unset,
		flights: c.handoffs.all[at].flights[:0],
	}
	c.replicas[from].sendToQueue(job)
}

// enqueueDecode puts the request into the queue of the replica that will decode it.
func (c *cluster) enqueueDecode(h *handoff) {
	h.asked = true
	c.replicas[h.to].enter(h.decode)
}

// reserveForHandoff gives a request that is handed over its blocks, or returns false
// where there are not enough.
func (c *cluster) reserveForHandoff(r *replica, q *request.Request) bool {
	cached := r.cache.Match(q.Chain, int(q.Prompt-1))
	blocks, ok := r.admitBlocks(kv.Admission{
		Chain: q.Chain, Cached: cached, Tokens: int(q.Prompt), Reserve: int(q.Prompt),
		Withheld: true, Priority: q.Info.Priority,
	})
	if !ok {
		return false
	}
	q.MoveTo(request.Loading)
	q.Blocks, q.Incomplete = blocks, true
	r.exports.admit(r.now, q, int32(cached), q.Prompt-int32(cached))
	r.port.loading++
	h := c.handoffs.of(q)
	h.reserved = true
	h.sent = int32(cached / r.cache.BlockTokens())
	h.needs = r.blocksOf(q.Prompt) - h.sent
	h.mark = h.needs
	if share := c.handoff.StartShare; share > 0 && share < 1 {
		h.mark = int32(math.Ceil(float64(share * float64(h.needs))))
	}
	c.sendReady(h)
	return true
}

// chunkComputed notes that a job's chunk is computed, now.
func (c *cluster) chunkComputed(r *replica, j *request.Request) {
	h := c.handoffs.of(j)
	h.confirmed = max(h.confirmed, r.complete(j.Computed, j.Total))
	if c.handoff.Granularity == simulator.GranularityBlock {
		return
	}
	if !h.asked {
		c.enqueueDecode(h)
	}
	h.available = max(h.available, h.confirmed)
	c.arriveConfirmed(h)
	c.sendReady(h)
}

// stream lets the jobs of a step that begins send what it is to compute.
func (c *cluster) stream(r *replica) {
	if c.handoff.Granularity != simulator.GranularityStream {
		return
	}
	for _, id := range r.batch.prefilling {
		j := &c.requests.All[id]
		if !j.Job || j.Chunk == 0 {
			continue
		}
		h := c.handoffs.of(j)
		if !h.asked {
			c.enqueueDecode(h)
		}
		h.available = max(h.available, r.complete(j.Computed+j.Chunk, j.Total))
		c.sendReady(h)
	}
}

// complete is how many blocks of a text hold computed tokens alone, or belong to
// a text that is computed.
func (r *replica) complete(computed, total int32) int32 {
	if computed == total {
		return r.blocksOf(total)
	}
	return computed / int32(r.cache.BlockTokens())
}

// blocksOf returns how many blocks a number of tokens takes.
func (r *replica) blocksOf(tokens int32) int32 {
	block := int32(r.cache.BlockTokens())
	return (tokens + block - 1) / block
}

// prefilled ends a job that has computed its prompt. Its blocks stay until they
// have been handed over.
func (c *cluster) prefilled(r *replica, j *request.Request) {
	j.MoveTo(request.Leaving)
	r.port.jobs--
	r.exports.finish()
	r.use.Served++
	r.use.ServedTokens += int64(j.Prompt)
	h := c.handoffs.of(j)
	r.port.leaving = append(r.port.leaving, h.job)
	h.done = c.now
	if !h.asked {
		c.enqueueDecode(h)
	}
	h.available = h.confirmed
	c.sendReady(h)
	c.progress(h)
}

// restartHandoff begins a hand-over afresh whose job was preempted: nobody keeps room
// for a prompt that is not being computed, lest two wait for each other's.
func (c *cluster) restartHandoff(h *handoff) {
	c.cancelFlights(h)
	to, q := &c.replicas[h.to], &c.requests.All[h.decode]
	to.remove(h.decode, false)
	q.MoveTo(request.Remote)
	q.Incomplete = false
	h.asked, h.reserved = false, false
	h.confirmed, h.available, h.sent = 0, 0, 0
	h.needs, h.posted, h.arrived, h.mark = 0, 0, 0, 0
}

// progress lets a request decode when enough has come, and ends its hand-over
// when all has.
func (c *cluster) progress(h *handoff) {
	if h.done == request.Unset || !h.reserved {
		return
	}
	if !h.ready && h.arrived >= h.mark {
		c.readyToDecode(h)
	}
	if h.arrived == h.needs {
		q := &c.requests.All[h.decode]
		c.replicas[h.to].cache.Publish(q.Blocks)
		c.closeHandoff(h, false)
	}
}

// readyToDecode puts a request back into the queue, with its blocks. The last
// token of the prompt is computed again: its output is the first of the answer.
func (c *cluster) readyToDecode(h *handoff) {
	h.ready, h.readyAt = true, c.now
	r, q := &c.replicas[h.to], &c.requests.All[h.decode]
	q.Computed = q.Prompt - 1
	q.Remote = q.Prompt - (r.blocksOf(q.Prompt)-h.needs)*int32(r.cache.BlockTokens())
	c.metrics.HandedOver(c.now, q, time.Duration(c.now-h.done))
	r.resumeLater(h.decode)
}

// closeHandoff ends a hand-over. The request goes on without it, and the job gives its
// blocks up.
func (c *cluster) closeHandoff(h *handoff, cancelled bool) {
	c.tellHandOver(h, cancelled)
	q, j := &c.requests.All[h.decode], &c.requests.All[h.job]
	at := q.Handoff - 1
	q.Handoff, q.Incomplete = 0, false
	if j.Phase() == request.Leaving {
		r := &c.replicas[h.from]
		r.port.left(h.job)
		used := r.cache.Used()
		r.releaseBlocks(j, c.handoff.SingleOwner && h.reserved && h.arrived == h.needs)
		r.blocksReleased(used)
	}
	to, counted := h.to, h.counted
	c.requests.Release(h.job)
	c.handoffs.free = append(c.handoffs.free, at)
	if counted {
		c.endPending(&c.replicas[to].port)
	}
}

// cancelHandoff ends a hand-over before its time. What has not come will not come, and
// the request has to compute its prompt itself if it is to go on.
func (c *cluster) cancelHandoff(h *handoff) {
	c.cancelFlights(h)
	c.closeHandoff(h, true)
}

// checkHandOver panics where KV cannot go from one replica to another.
func (c *cluster) checkHandOver(from, to *replica) {
	a, b := from.config, to.config
	if c.handoff.Egress.BytesPerSecond == 0 || a.BlockBytes == 0 || a.BlockBytes != b.BlockBytes || a.BlockTokens != b.BlockTokens {
		panic(fmt.Sprintf("simulator: the router hands over from endpoint %d to %d, blocks of %d tokens and %d bytes to %d tokens and %d bytes, from %+v to %+v",
			from.index, to.index, a.BlockTokens, a.BlockBytes, b.BlockTokens, b.BlockBytes, c.handoff.Egress, c.handoff.Ingress))
	}
}
