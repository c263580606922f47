// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/engine"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// invariants is an observer that panics, with the values, when something that
// must always hold does not:
//
//   - every request that arrived was rejected, has ended or is in flight, at the
//     gateway or beyond;
//   - the clock never goes back, and a request's times follow each other;
//   - each token of a request comes once, in order, and only when the KV of
//     everything before it is computed;
//   - a request is in the batch or in the queue in the phases that say so;
//   - batch and wait queue together are in order of entry, preempted or not;
//   - a step keeps to its bounds, ranks in lock-step begin and end theirs together, and
//     no replica idles with work waiting;
//   - the block cache is consistent, and holds what the batch needs;
//   - an admission that a stability controller had a say in leaves the blocks
//     that it keeps for the growth of what runs;
//   - what invariants_transfers.go says of tiers and hand-overs, and
//     invariants_scalers.go of replicas that scalers start and end.
//
// It is slow: it walks each batch, queue and cache at each step.
type invariants struct {
	s               *simulation
	clocks          []simtime.Time // by replica
	rejections      int
	inFlight, ends  int
	promptTokens    int64
	cutOff          bool // the drain has left some in flight
	tokens          map[int]int32
	tokenAt         map[int]simtime.Time
	tokensDelivered int64
}

func newInvariants(s *simulation) *invariants {
	return &invariants{s: s, tokens: map[int]int32{}, tokenAt: map[int]simtime.Time{}}
}

// broken reports a broken invariant.
func broken(s *simulation, format string, args ...any) {
	panic(fmt.Sprintf("simulator: at %v: ", s.Now) + fmt.Sprintf(format, args...))
}

func (v *invariants) Arrived(id int32) {
	s := v.s
	q := &s.Requests.All[id]
	if q.Info.Arrival != s.Now && s.gateway.Held.Queue == nil && q.RoutedAt == q.Info.Arrival || q.Info.Arrival > s.Now {
		broken(s, "request %d arrives, due at %v", q.Info.ID, q.Info.Arrival)
	}
	if _, again := v.tokens[q.Info.ID]; again {
		broken(s, "request %d arrives again", q.Info.ID)
	}
	v.tokens[q.Info.ID] = 0
	v.tokenAt[q.Info.ID] = q.Info.Arrival
	v.inFlight++
}

func (v *invariants) Rejected(*policy.Request, simulator.Reason) { v.rejections++ }

func (v *invariants) Preempted(replica, id int32) {
	s := v.s
	r := &s.cluster.Replicas[replica]
	q := &s.Requests.All[id]
	if q.Computed != 0 || q.Chunk != 0 || q.Phase() != request.Waiting || r.Waiting.Len() == 0 {
		broken(s, "request %d was preempted with %d tokens computed and %d under way", q.Info.ID, q.Computed, q.Chunk)
	}
}

func (v *invariants) Token(id, n int32, at simtime.Time) {
	s := v.s
	q := &s.Requests.All[id]
	number := v.tokens[q.Info.ID] + n
	switch {
	case q.Generated() != number || q.Total > q.Finish:
		broken(s, "request %d gives token %d, after %d of %d", q.Info.ID, q.Generated(), number-n, q.Finish-q.Prompt)
	case q.Computed != q.Total-1 || q.Computed < q.Prompt:
		broken(s, "request %d decodes with %d of %d tokens computed", q.Info.ID, q.Computed, q.Total-1)
	case at <= v.tokenAt[q.Info.ID] || at < s.Now:
		broken(s, "request %d: token %d at %v, the one before at %v", q.Info.ID, number, at, v.tokenAt[q.Info.ID])
	}
	v.tokens[q.Info.ID] = number
	v.tokenAt[q.Info.ID] = at
}

func (v *invariants) Ended(id int32, at simtime.Time, how request.Ending) {
	s := v.s
	q := &s.Requests.All[id]
	if n := v.tokens[q.Info.ID]; how == request.EndCompleted && (n != q.Finish-q.Prompt || v.tokenAt[q.Info.ID] > at) {
		broken(s, "request %d ends with %d of %d tokens, the last at %v", q.Info.ID, n, q.Finish-q.Prompt, v.tokenAt[q.Info.ID])
	}
	v.tokensDelivered += int64(v.tokens[q.Info.ID])
	if q.Scheduled() {
		v.promptTokens += int64(q.Prompt)
	}
	delete(v.tokens, q.Info.ID)
	delete(v.tokenAt, q.Info.ID)
	if q.Accepted() {
		v.inFlight--
	}
	v.ends++
	v.cutOff = v.cutOff || how == request.EndUnfinished
}

func (v *invariants) Formed(replica int32, step latency.Step) {
	s := v.s
	r := &s.cluster.Replicas[replica]
	tokens, blocks := int32(0), 0
	block := int32(r.Cache.BlockTokens())
	for _, id := range r.Batch.Running {
		q := &s.Requests.All[id]
		if q.Phase() != request.Running || q.Chunk < 0 || q.Computed+q.Chunk > q.Total+v.drafts(r, q) || q.Decoding() && q.Computed < q.Prompt {
			broken(s, "request %d in phase %d computes %d after %d of %d", q.Info.ID, q.Phase(), q.Chunk, q.Computed, q.Total)
		}
		tokens += q.Chunk
		held := max(r.BlocksHeld(q), int((q.Computed+q.Chunk+block-1)/block))
		blocks += held + r.Config.Windows.Groups*min(held, r.Config.Windows.Blocks)
	}
	switch {
	case tokens > r.MaxTokens || len(r.Batch.Running) > r.MaxSeqs:
		broken(s, "replica %d: a step of %d tokens, a batch of %d", r.Index, tokens, len(r.Batch.Running))
	case int(tokens) != step.PrefillTokens+step.DecodeTokens || step.Sequences > len(r.Batch.Running):
		broken(s, "replica %d: %d tokens in the batch, step %+v", r.Index, tokens, step)
	case step.Sequences == 0 && (len(r.Batch.Running) > 0 || r.Waiting.Len() > 0 && !s.cluster.Excused(r)):
		broken(s, "replica %d: an empty step with %d running and %d waiting", r.Index, len(r.Batch.Running), r.Waiting.Len())
	case r.Fabric == nil && (r.Cache.Used() > blocks || r.Cache.Used() < blocks && !r.PrefixCaching):
		broken(s, "replica %d: %d blocks in use, the batch needs %d", r.Index, r.Cache.Used(), blocks)
	}
	v.adapted(s, r)
	v.counted(s, r)
	v.floor(s, r)
	v.conserved(s, r)
	v.handedOver(s, r)
	v.inOrder(s, r)
}

// drafts is how many tokens of a request a step computes at most that are not sure to come.
func (v *invariants) drafts(r *engine.Replica, q *request.Request) int32 {
	if !r.Speculates() || !q.Decoding() {
		return 0
	}
	return int32(r.Config.Speculation.Tokens)
}

// counted checks that a request is in the batch, in the queue or on its way in the phases
// that say so, and in no other.
func (v *invariants) counted(s *simulation, r *engine.Replica) {
	n := map[request.Phase]int{}
	for i := range s.Requests.All {
		if q := &s.Requests.All[i]; q.Replica == r.Index {
			n[q.Phase()]++
		}
	}
	running, waiting := len(r.Batch.Running), r.Waiting.Len()
	if n[request.Running] != running || n[request.Waiting]+n[request.Ready] != waiting || n[request.Ready] != int(r.Holding) || n[request.Loading] != int(r.Loading) {
		broken(s, "replica %d: %d run, %d wait, %d hold blocks, %d load, and the phases say %v", r.Index, running, waiting, r.Holding, r.Loading, n)
	}
}

// taken checks that each replica counts the requests and the jobs that it has, and the tokens
// of the prompts of those without a token of it.
func (v *invariants) taken(s *simulation) {
	type intake struct {
		requests   int
		unanswered int64
	}
	want := make([]intake, len(s.cluster.Replicas))
	for i := range s.Requests.All {
		q := &s.Requests.All[i]
		if !q.Phase().AtReplica() {
			continue
		}
		of := &want[q.Replica]
		of.requests++
		if q.Reached < request.GaveToken {
			of.unanswered += int64(q.Prompt)
		}
	}
	for i := range want {
		var got intake
		got.requests, got.unanswered = s.cluster.Replicas[i].Intake()
		if got != want[i] {
			broken(s, "replica %d: %+v are counted as %+v", i, want[i], got)
		}
	}
}

// adapted checks that a batch has requests of no more adapters than there are
// places, all of which are loaded.
func (v *invariants) adapted(s *simulation, r *engine.Replica) {
	if r.Adapters == nil {
		return
	}
	running := map[int32]int{}
	for _, id := range r.Batch.Running {
		if adapter := s.Requests.All[id].Info.Adapter; adapter != 0 {
			running[adapter]++
		}
	}
	for _, h := range r.Adapters.Held {
		if running[h.Id] != h.Running || h.Running > 0 && h.Ready > s.Now {
			broken(s, "replica %d: %d requests of adapter %d, ready at %v, are counted as %d", r.Index, running[h.Id], h.Id, h.Ready, h.Running)
		}
		delete(running, h.Id)
	}
	if len(running) > 0 || len(r.Adapters.Held) > r.Adapters.Max {
		broken(s, "replica %d: %d adapters are held of %d, and %v not", r.Index, len(r.Adapters.Held), r.Adapters.Max, running)
	}
}

// floor checks that the last admission of a step has left what it was to leave:
// blocks that are free, and blank ones where the controller evicts.
func (v *invariants) floor(s *simulation, r *engine.Replica) {
	a := r.Advisor
	if a == nil || a.FloorAt != s.Now {
		return
	}
	left := r.Cache.Free()
	if a.Evict {
		left = r.Cache.Blank()
	}
	if left < a.Floor {
		broken(s, "replica %d: an admission leaves %d blocks, the floor is %d", r.Index, left, a.Floor)
	}
}

// inOrder checks that no request overtook another: first come, first served, the batch and
// the wait queue together are in order of entry; otherwise the queue is in the order of
// the scheduler, whose groups change nothing.
func (v *invariants) inOrder(s *simulation, r *engine.Replica) {
	none := scheduling.Job{Turn: -1}
	last := none
	check := func(id int32, want request.Phase) {
		q := &s.Requests.All[id]
		j := r.JobOf(q)
		if last != none && r.Scheduler.Compare(last, j, r.Now) >= 0 || q.Phase() != want {
			broken(s, "replica %d: request %d in phase %v, %+v, comes after %+v", r.Index, q.Info.ID, q.Phase(), j, last)
		}
		last = j
	}
	if r.Scheduler.Order == nil && r.Scheduler.Moving == nil && r.Scheduler.Victim == nil && r.Fabric == nil && r.Adapters == nil {
		for _, id := range r.Batch.Running {
			check(id, request.Running)
		}
	}
	order := r.QueueInOrder()
	if len(order) > 0 && r.Front() != order[0].Id {
		broken(s, "replica %d: request %d is in front of the queue, and request %d is to be served first",
			r.Index, s.Requests.All[r.Front()].Info.ID, s.Requests.All[order[0].Id].Info.ID)
	}
	for _, t := range order {
		want := request.Waiting
		if s.Requests.All[t.Id].Phase() == request.Ready {
			want = request.Ready
		}
		check(t.Id, want)
	}
}

// delayed counts the requests that the admission makes wait, and checks that it is to
// be asked again about each.
func (v *invariants) delayed(s *simulation) int {
	n := 0
	for id := range s.Requests.All {
		q := &s.Requests.All[id]
		if q.Phase() != request.Delayed && q.Phase() != request.Awaiting {
			continue
		}
		if e := s.gateway.Delays.Of(int32(id)); e.At < s.Now || e.At == simtime.Never || e.Sequence != q.Info.ID || q.Accepted() {
			broken(s, "request %d is delayed, and its event is that of request %d at %v", q.Info.ID, e.Sequence, e.At)
		}
		n++
	}
	return n
}

// atGateway counts the requests that no endpoint has had yet of those that the
// router keeps, and checks that it keeps who is there, until a time to come.
func (v *invariants) atGateway(s *simulation) int {
	if len(s.gateway.Held.Requests) > 0 && s.gateway.Held.WakeUp.At == simtime.Never {
		broken(s, "%d requests are kept at the gateway for ever", len(s.gateway.Held.Requests))
	}
	n := 0
	for number, id := range s.gateway.Held.Requests {
		q := &s.Requests.All[id]
		if q.Info.ID != number || q.Phase() != request.AtGateway {
			broken(s, "request %d is kept at the gateway, and in phase %d as number %d", number, q.Phase(), q.Info.ID)
		}
		if !q.Accepted() {
			n++
		}
	}
	return n
}

func (v *invariants) Settled(replica int32) {
	s := v.s
	kept := v.atGateway(s) + v.delayed(s)
	if s.gateway.Arrived != v.rejections+v.ends+v.inFlight+kept || s.gateway.InFlight != v.inFlight+kept {
		broken(s, "%d arrived, %d rejected, %d ended, %d in flight (%d counted, %d kept at the gateway)",
			s.gateway.Arrived, v.rejections, v.ends, s.gateway.InFlight, v.inFlight, kept)
	}
	if replica == simulator.NoReplica {
		v.scaled(s)
		v.taken(s)
		return
	}
	r := &s.cluster.Replicas[replica]
	for len(v.clocks) < len(s.cluster.Replicas) {
		v.clocks = append(v.clocks, 0)
	}
	switch {
	case r.Stepping && (r.Held != nil || r.Next <= r.StepStart) || r.Held != nil && r.Next != simtime.Never:
		broken(s, "replica %d steps from %v to %v: %t, with a step held: %t", r.Index, r.StepStart, r.Next, r.Stepping, r.Held != nil)
	case s.cluster.Misses():
		broken(s, "a replica has an event before the time that is noted for it")
	case s.Now < v.clocks[r.Index]:
		broken(s, "the clock of replica %d was at %v", r.Index, v.clocks[r.Index])
	case r.Waiting.Len() > 0 && !r.Stepping && r.Held == nil && r.Next == simtime.Never && !r.LockStep.Busy() && !s.cluster.Excused(r):
		broken(s, "replica %d is idle with %d waiting", r.Index, r.Waiting.Len())
	}
	v.clocks[r.Index] = s.Now
	v.together(s, r)
}

// together checks that the ranks of a replica begin and end their steps together.
func (v *invariants) together(s *simulation, r *engine.Replica) {
	if r.LockStep == nil || !r.Stepping {
		return
	}
	for _, o := range r.LockStep.Ranks {
		if o.Stepping && (o.StepStart != r.StepStart || o.Next != r.Next) || !o.Stepping && o.Next != simtime.Never || !o.LockStep.Busy() {
			broken(s, "replica %d steps from %v to %v, and rank %d of the same replica from %v to %v", r.Index, r.StepStart, r.Next, o.Rank, o.StepStart, o.Next)
		}
	}
}
