// SPDX-License-Identifier: Apache-2.0

package engine

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
	asked, Reserved, Ready bool
	// counted says that it has one of the places that Handoff.MaxPending gives.
	counted bool
	// Done is when the job had computed the prompt; unset before.
	Done simtime.Time
	// begun is when the request was sent on its way, readyAt when it might decode; unset before.
	begun, readyAt simtime.Time
	// In blocks of the prompt: what has been computed, what can be sent and what
	// has been, all counted from the first; what there is to send, what is or was
	// under way and what has come of that. mark is how much has to have come
	// before decode begins.
	confirmed, available, sent int32
	Needs, Posted, Arrived     int32
	Mark                       int32
	Flights                    []*flight
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

// Of returns the hand-over that a request or a job is part of.
func (p *handoffs) Of(q *request.Request) *handoff { return &p.all[q.Handoff-1] }

// HandOver has another replica compute the prompt of a request first.
func (c *Cluster) HandOver(id int32, from, to int) {
	c.checkHandOver(&c.Replicas[from], &c.Replicas[to])
	at := c.Handoffs.take()
	job := c.Requests.Take()
	q, j := &c.Requests.All[id], &c.Requests.All[job]
	j.Info, j.Prompt, j.Cell = q.Info, q.Prompt, q.Cell
	j.Total, j.Finish = j.Prompt, j.Prompt
	j.LastToken, j.FirstToken, j.ScheduledAt = request.Unset, request.Unset, request.Unset
	j.Job, j.Replica = true, int32(from)
	q.Handoff, j.Handoff = at+1, at+1
	q.MoveTo(request.Remote)
	c.Handoffs.all[at] = handoff{
		decode: id, job: job, from: int32(from), to: int32(to), begun: c.Now, Done: request.Unset, readyAt: request.Unset,
		Flights: c.Handoffs.all[at].Flights[:0],
	}
	c.Replicas[from].SendToQueue(job)
}

// enqueueDecode puts the request into the queue of the replica that will decode it.
func (c *Cluster) enqueueDecode(h *handoff) {
	h.asked = true
	c.Replicas[h.to].enter(h.decode)
}

// reserveForHandoff gives a request that is handed over its blocks, or returns false
// where there are not enough.
func (c *Cluster) reserveForHandoff(r *Replica, q *request.Request) bool {
	cached := r.Cache.Match(q.Chain, int(q.Prompt-1))
	blocks, ok := r.admitBlocks(kv.Admission{
		Chain: q.Chain, Cached: cached, Tokens: int(q.Prompt), Reserve: int(q.Prompt),
		Withheld: true, Priority: q.Info.Priority,
	})
	if !ok {
		return false
	}
	q.MoveTo(request.Loading)
	q.Blocks, q.Incomplete = blocks, true
	r.Exports.admit(r.Now, q, int32(cached), q.Prompt-int32(cached))
	r.Port.Loading++
	h := c.Handoffs.Of(q)
	h.Reserved = true
	h.sent = int32(cached / r.Cache.BlockTokens())
	h.Needs = r.blocksOf(q.Prompt) - h.sent
	h.Mark = h.Needs
	if share := c.Handoff.StartShare; share > 0 && share < 1 {
		h.Mark = int32(math.Ceil(float64(share * float64(h.Needs))))
	}
	c.sendReady(h)
	return true
}

// chunkComputed notes that a job's chunk is computed, now.
func (c *Cluster) chunkComputed(r *Replica, j *request.Request) {
	h := c.Handoffs.Of(j)
	h.confirmed = max(h.confirmed, r.complete(j.Computed, j.Total))
	if c.Handoff.Granularity == simulator.GranularityBlock {
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
func (c *Cluster) stream(r *Replica) {
	if c.Handoff.Granularity != simulator.GranularityStream {
		return
	}
	for _, id := range r.Batch.prefilling {
		j := &c.Requests.All[id]
		if !j.Job || j.Chunk == 0 {
			continue
		}
		h := c.Handoffs.Of(j)
		if !h.asked {
			c.enqueueDecode(h)
		}
		h.available = max(h.available, r.complete(j.Computed+j.Chunk, j.Total))
		c.sendReady(h)
	}
}

// prefilled ends a job that has computed its prompt. Its blocks stay until they
// have been handed over.
func (c *Cluster) prefilled(r *Replica, j *request.Request) {
	j.MoveTo(request.Leaving)
	r.Port.Jobs--
	r.Exports.finish()
	r.Use.Served++
	r.Use.ServedTokens += int64(j.Prompt)
	h := c.Handoffs.Of(j)
	r.Port.Leaving = append(r.Port.Leaving, h.job)
	h.Done = c.Now
	if !h.asked {
		c.enqueueDecode(h)
	}
	h.available = h.confirmed
	c.sendReady(h)
	c.progress(h)
}

// restartHandoff begins a hand-over afresh whose job was preempted: nobody keeps room
// for a prompt that is not being computed, lest two wait for each other's.
func (c *Cluster) restartHandoff(h *handoff) {
	c.cancelFlights(h)
	to, q := &c.Replicas[h.to], &c.Requests.All[h.decode]
	to.remove(h.decode, false)
	q.MoveTo(request.Remote)
	q.Incomplete = false
	h.asked, h.Reserved = false, false
	h.confirmed, h.available, h.sent = 0, 0, 0
	h.Needs, h.Posted, h.Arrived, h.Mark = 0, 0, 0, 0
}

// progress lets a request decode when enough has come, and ends its hand-over
// when all has.
func (c *Cluster) progress(h *handoff) {
	if h.Done == request.Unset || !h.Reserved {
		return
	}
	if !h.Ready && h.Arrived >= h.Mark {
		c.readyToDecode(h)
	}
	if h.Arrived == h.Needs {
		q := &c.Requests.All[h.decode]
		c.Replicas[h.to].Cache.Publish(q.Blocks)
		c.closeHandoff(h, false)
	}
}

// readyToDecode puts a request back into the queue, with its blocks. The last
// token of the prompt is computed again: its output is the first of the answer.
func (c *Cluster) readyToDecode(h *handoff) {
	h.Ready, h.readyAt = true, c.Now
	r, q := &c.Replicas[h.to], &c.Requests.All[h.decode]
	q.Computed = q.Prompt - 1
	q.Remote = q.Prompt - (r.blocksOf(q.Prompt)-h.Needs)*int32(r.Cache.BlockTokens())
	c.Metrics.HandedOver(c.Now, q, time.Duration(c.Now-h.Done))
	r.resumeLater(h.decode)
}

// closeHandoff ends a hand-over. The request goes on without it, and the job gives its
// blocks up.
func (c *Cluster) closeHandoff(h *handoff, cancelled bool) {
	c.tellHandOver(h, cancelled)
	q, j := &c.Requests.All[h.decode], &c.Requests.All[h.job]
	at := q.Handoff - 1
	q.Handoff, q.Incomplete = 0, false
	if j.Phase() == request.Leaving {
		r := &c.Replicas[h.from]
		r.Port.left(h.job)
		used := r.Cache.Used()
		r.releaseBlocks(j, c.Handoff.SingleOwner && h.Reserved && h.Arrived == h.Needs)
		r.blocksReleased(used)
	}
	to, counted := h.to, h.counted
	c.Requests.Release(h.job)
	c.Handoffs.free = append(c.Handoffs.free, at)
	if counted {
		c.endPending(&c.Replicas[to].Port)
	}
}

// cancelHandoff ends a hand-over before its time. What has not come will not come, and
// the request has to compute its prompt itself if it is to go on.
func (c *Cluster) cancelHandoff(h *handoff) {
	c.cancelFlights(h)
	c.closeHandoff(h, true)
}

// checkHandOver panics where KV cannot go from one replica to another.
func (c *Cluster) checkHandOver(from, to *Replica) {
	a, b := from.Config, to.Config
	if c.Handoff.Egress.BytesPerSecond == 0 || a.BlockBytes == 0 || a.BlockBytes != b.BlockBytes || a.BlockTokens != b.BlockTokens {
		panic(fmt.Sprintf("simulator: the router hands over from endpoint %d to %d, blocks of %d tokens and %d bytes to %d tokens and %d bytes, from %+v to %+v",
			from.Index, to.Index, a.BlockTokens, a.BlockBytes, b.BlockTokens, b.BlockBytes, c.Handoff.Egress, c.Handoff.Ingress))
	}
}

// tellHandOver tells of a hand-over that ends now.
func (c *Cluster) tellHandOver(h *handoff, cancelled bool) {
	if c.Listeners.HandedOver == nil {
		return
	}
	q := &c.Requests.All[h.decode]
	told := simulator.HandOver{
		Request: q.Info.ID, Prefill: int(h.from), Decode: int(h.to), Begun: h.begun, Prefilled: h.Done, Ready: h.readyAt, Ended: c.Now,
		Cancelled: cancelled, Bytes: int64(h.Arrived) * c.Replicas[h.from].blockBytes,
	}
	if h.Ready {
		told.Tokens = int(q.Remote)
	}
	c.Listeners.HandedOver(told)
}
