// SPDX-License-Identifier: Apache-2.0

package handoff

import (
	"fmt"
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/run"
)

// handoff is the way of one prompt's KV from the replica that computes it to the
// one that decodes. The request has two records meanwhile: the one that users
// see, which decodes, and its prefill job, which no user hears of.
type handoff struct {
	decode, job int32 // slots of requests
	from, to    int32 // replicas
	stage       stage
	// counted says that it has one of the places that Handoff.MaxPending gives, which it
	// keeps in all stages once its job is in the wait queue.
	counted bool
	// begun is when the request was sent on its way, done when the job had computed the
	// prompt, readyAt when the request might decode; the latter two unset before.
	begun, done, readyAt simtime.Time
	passage
}

// stage is how far the replica that decodes is with a hand-over.
type stage uint8

const (
	remote   stage = iota // it does not know of the request
	asked                 // it has the request in its wait queue
	reserved              // it keeps blocks for the prompt
	ready                 // the request may decode; then done is set
)

// passage is the blocks of a prompt on their way.
type passage struct {
	// confirmed is how many are computed, available how many can be sent, and sent how many
	// have been, all counted from the first of the prompt.
	confirmed, available, sent int32
	// needs is how many there are to send, without those that the cache of the decode
	// replica has: came <= posted <= needs, of which posted were put on their way and came
	// have come. mark is how much has to have come before decode begins.
	needs, posted, came int32
	mark                int32
	// flights have posted - came blocks.
	flights []*flight
}

// Set is the hand-overs in flight. Their numbers are used again.
type Set struct {
	*run.State
	config simulator.Handoff
	// Ports are those of all replicas.
	Ports []*Port
	all   []handoff
	free  []int32
	// kept has the jobs of prompts that are kept, by the numbers of their requests; nil until there is
	// one.
	kept map[int]int32
}

// New returns a set without hand-overs.
func New(state *run.State, config simulator.Handoff) *Set { return &Set{State: state, config: config} }

func (s *Set) take() int32 {
	if n := len(s.free); n > 0 {
		at := s.free[n-1]
		s.free = s.free[:n-1]
		return at
	}
	s.all = append(s.all, handoff{})
	return int32(len(s.all) - 1)
}

// of returns the hand-over that a request or a job is part of.
func (s *Set) of(q *request.Request) *handoff { return &s.all[q.Handoff-1] }

// Client is the request that a client waits for: that of a job, or the request itself.
func (s *Set) Client(q *request.Request) *request.Request {
	if !q.Job {
		return q
	}
	return &s.Requests.All[s.of(q).decode]
}

// Source is the replica that computes the prompt of a request, and the job that does.
func (s *Set) Source(q *request.Request) (from, job int32) {
	h := s.of(q)
	return h.from, h.job
}

// Begin has a replica compute the prompt of a request first that another one decodes.
func (s *Set) Begin(id int32, from, to int) {
	s.check(from, to)
	at := s.take()
	job := s.Requests.Take()
	q, j := &s.Requests.All[id], &s.Requests.All[job]
	j.Info, j.Prompt, j.Cell = q.Info, q.Prompt, q.Cell
	j.Total, j.Finish = j.Prompt, j.Prompt
	j.LastToken, j.FirstToken, j.ScheduledAt = request.Unset, request.Unset, request.Unset
	j.Job, j.Replica = true, int32(from)
	q.Handoff, j.Handoff = at+1, at+1
	q.MoveTo(request.Remote)
	s.all[at] = handoff{
		decode: id, job: job, from: int32(from), to: int32(to), begun: s.Now, done: request.Unset, readyAt: request.Unset,
		passage: passage{flights: s.all[at].flights[:0]},
	}
	s.Ports[from].SendToQueue(job)
}

// check panics where KV cannot go from one replica to another.
func (s *Set) check(from, to int) {
	if c, a, b := &s.config, s.Ports[from].Pool, s.Ports[to].Pool; !s.connects(from, to) {
		panic(fmt.Sprintf("simulator: the router hands over from endpoint %d to %d, blocks of %d tokens and %d bytes to %d tokens and %d bytes, from %+v to %+v",
			from, to, a.BlockTokens, a.BlockBytes, b.BlockTokens, b.BlockBytes, c.Egress, c.Ingress))
	}
}

// connects says whether KV can go from one replica to another.
func (s *Set) connects(from, to int) bool {
	a, b := s.Ports[from].Pool, s.Ports[to].Pool
	return s.config.Egress.BytesPerSecond > 0 && a.BlockBytes > 0 && a.BlockBytes == b.BlockBytes && a.BlockTokens == b.BlockTokens
}

// Holds keeps a prefill job out of the wait queue while as many hand-overs as may be are
// under way to the replica that is to decode.
func (s *Set) Holds(id int32) bool {
	q := &s.Requests.All[id]
	h := s.of(q)
	if s.config.MaxPending == 0 || h.counted {
		return false
	}
	to := s.Ports[h.to]
	if to.pending == s.config.MaxPending {
		q.MoveTo(request.Held)
		to.held = append(to.held, id)
		return true
	}
	h.counted = true
	to.pending++
	return false
}

// ask puts the request into the queue of the replica that will decode it, if it is not
// there.
func (s *Set) ask(h *handoff) {
	if h.stage == remote {
		h.stage = asked
		s.Ports[h.to].Enter(h.decode)
	}
}

// Reserved notes that a request has its blocks on the replica that is to decode it, the
// first of which the cache has.
func (s *Set) Reserved(q *request.Request, cached int32) {
	h := s.of(q)
	h.stage = reserved
	if s.Requests.All[h.job].Phase() == request.Leaving {
		s.Ports[h.from].sending++
	}
	h.sent = cached
	h.needs = s.Ports[h.to].complete(q.Prompt, q.Prompt) - cached
	h.mark = h.needs
	if share := s.config.StartShare; share > 0 && share < 1 {
		h.mark = int32(math.Ceil(float64(share * float64(h.needs))))
	}
	s.sendReady(h)
}

// Computed notes that a job's chunk is computed, now.
func (s *Set) Computed(j *request.Request) {
	h := s.of(j)
	h.confirmed = max(h.confirmed, s.Ports[h.from].complete(j.Computed, j.Total))
	if s.config.Granularity == simulator.GranularityBlock {
		return
	}
	s.ask(h)
	h.available = max(h.available, h.confirmed)
	s.arriveConfirmed(h)
	s.sendReady(h)
}

// Stream lets the jobs of a step that begins send what it is to compute.
func (s *Set) Stream(prefilling []int32) {
	if s.config.Granularity != simulator.GranularityStream {
		return
	}
	for _, id := range prefilling {
		j := &s.Requests.All[id]
		if !j.Job || j.Chunk == 0 {
			continue
		}
		h := s.of(j)
		s.ask(h)
		h.available = max(h.available, s.Ports[h.from].complete(j.Computed+j.Chunk, j.Total))
		s.sendReady(h)
	}
}

// Prefilled ends a job that has computed its prompt. Its blocks stay until they
// have been handed over.
func (s *Set) Prefilled(j *request.Request) {
	h := s.of(j)
	j.MoveTo(request.Leaving)
	from := s.Ports[h.from]
	from.Jobs--
	from.leaving = append(from.leaving, h.job)
	if h.stage >= reserved {
		from.sending++
	}
	h.done = s.Now
	s.ask(h)
	h.available = h.confirmed
	s.sendReady(h)
	s.progress(h)
}

// progress lets a request decode when enough has come, and ends its hand-over
// when all has.
func (s *Set) progress(h *handoff) {
	if h.done == request.Unset || h.stage < reserved {
		return
	}
	if h.stage == reserved && h.came >= h.mark {
		s.readyToDecode(h)
	}
	if h.came == h.needs {
		s.Ports[h.to].Publish(&s.Requests.All[h.decode])
		s.end(h, false)
	}
}

// readyToDecode puts a request back into the queue, with its blocks. The last
// token of the prompt is computed again: its output is the first of the answer.
func (s *Set) readyToDecode(h *handoff) {
	h.stage, h.readyAt = ready, s.Now
	to, q := s.Ports[h.to], &s.Requests.All[h.decode]
	q.Computed = q.Prompt - 1
	q.Remote = q.Prompt - (to.complete(q.Prompt, q.Prompt)-h.needs)*int32(to.Pool.BlockTokens)
	s.Metrics.HandedOver(s.Now, q, s.Now.Sub(h.done))
	to.Resume(h.decode)
}

// Restart begins a hand-over afresh whose job was preempted: no replica keeps room
// for a prompt that is not being computed, lest two wait for each other's.
func (s *Set) Restart(j *request.Request) {
	h := s.of(j)
	s.Ports[h.from].Jobs--
	if h.stage == remote {
		return
	}
	s.cancelFlights(h)
	s.Ports[h.to].Withdraw(h.decode)
	q := &s.Requests.All[h.decode]
	q.MoveTo(request.Remote)
	h.stage, h.passage = remote, passage{flights: h.flights}
}

// Cancel ends the hand-over of a request or a job before its time. What has not come will
// not come, and the request has to compute its prompt itself if it is to go on.
func (s *Set) Cancel(q *request.Request) {
	h := s.of(q)
	s.cancelFlights(h)
	s.end(h, true)
}

// CancelLast ends the last hand-over from a replica that waits for room elsewhere, unless
// others are on their way and will free blocks.
func (s *Set) CancelLast(from *Port) bool {
	if from.sending > 0 || len(from.leaving) == 0 {
		return false
	}
	var last *handoff
	var job *request.Request
	for _, id := range slices.Backward(from.leaving) {
		j := &s.Requests.All[id]
		h := s.of(j)
		if last != nil && h.done < last.done {
			break
		}
		if last == nil || j.Info.ID > job.Info.ID {
			last, job = h, j
		}
	}
	to := s.Ports[last.to]
	s.Cancel(job)
	to.Wake()
	return true
}

// Unhold takes a job off those that are held back.
func (s *Set) Unhold(id int32) {
	to := s.Ports[s.of(&s.Requests.All[id]).to]
	to.held = slices.DeleteFunc(to.held, func(other int32) bool { return other == id })
}

// end ends a hand-over. The request goes on without it, and the job gives its
// blocks up.
func (s *Set) end(h *handoff, cancelled bool) {
	s.tell(h, cancelled)
	q, j := &s.Requests.All[h.decode], &s.Requests.All[h.job]
	at := q.Handoff - 1
	q.Handoff = 0
	if j.Phase() == request.Leaving {
		from := s.Ports[h.from]
		from.left(h.job)
		if h.stage >= reserved {
			from.sending--
		}
		from.ReleaseJob(j, s.config.SingleOwner && h.stage >= reserved && h.came == h.needs)
	}
	to, counted := h.to, h.counted
	s.Requests.Release(h.job)
	s.free = append(s.free, at)
	if counted {
		s.endPending(s.Ports[to])
	}
}

// endPending notes that a hand-over to a replica is over, and lets the first job in that
// waits for its place.
func (s *Set) endPending(to *Port) {
	to.pending--
	if len(to.held) == 0 {
		return
	}
	id := to.held[0]
	to.held = to.held[1:]
	s.Ports[s.Requests.All[id].Replica].Enter(id)
}

// tell tells of a hand-over that ends now.
func (s *Set) tell(h *handoff, cancelled bool) {
	if s.Listeners.HandedOver == nil {
		return
	}
	q := &s.Requests.All[h.decode]
	told := simulator.HandOver{
		Request: q.Info.ID, Prefill: int(h.from), Decode: int(h.to), Begun: h.begun, Prefilled: h.done, Ready: h.readyAt, Ended: s.Now,
		Cancelled: cancelled, Bytes: int64(h.came) * s.Ports[h.from].Pool.BlockBytes,
	}
	if h.stage == ready {
		told.Tokens = int(q.Remote)
	}
	s.Listeners.HandedOver(told)
}

// Check checks the hand-over of a request: it does not decode before its prompt is
// computed elsewhere and enough of that has come, and each block is local, transferring or
// transferred.
func (s *Set) Check(q *request.Request) error {
	h := s.of(q)
	if q.Phase() == request.Running && (h.stage != ready || h.done == request.Unset || h.came < h.mark) {
		return fmt.Errorf("it decodes with %d of %d blocks handed over, %d wanted", h.came, h.needs, h.mark)
	}
	local, transferring, underWay := h.needs-h.posted, h.posted-h.came, int32(0)
	for _, f := range h.flights {
		underWay += f.blocks + f.rest
	}
	if h.stage >= reserved && (local < 0 || transferring != underWay || h.came < 0 || h.stage == ready && h.done == request.Unset) {
		return fmt.Errorf("%d blocks are local, %d transferring (%d in flight), %d transferred", local, transferring, underWay, h.came)
	}
	return nil
}
