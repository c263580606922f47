// SPDX-License-Identifier: Apache-2.0

package request

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// Unset is a time that has not come yet.
const Unset simtime.Time = -1

// Request is the state of one request in flight. Slots are used again, and so
// is the memory of Chain.
type Request struct {
	progress
	queueing
	batching
	residence
	kvContent
	tierLoad
	times
	client

	// Info is what policies may know.
	Info policy.Request
	// phase changes in MoveTo alone.
	phase Phase
	// Cell indexes the cells of the metrics.
	Cell int32
	// Terms are those of a session's request; nil for one of a workload.
	Terms *Terms
	// Job says that this is the prefill job of a hand-over: another request answers. It is what
	// the record is, in each phase. Both have Handoff, one more than the number of the
	// hand-over; 0 is none.
	Job     bool
	Handoff int32
}

// Terms are what a request of a session asks for beyond what one of a workload does.
type Terms struct {
	// Rest is the text of the answer behind the Answer.
	Rest []prompt.Extent
	// Keeps says that the blocks stay with the replica after the answer, and TakesOver is one more
	// than the number of the request whose blocks this one gets; 0 is none.
	Keeps     bool
	TakesOver int
}

// progress is how far a request is, in tokens: Computed <= Total <= Finish, and
// Prompt <= Total.
//
// While the request is in step with its batch, Total and Computed are as of the step that
// Joined numbers.
type progress struct {
	// Total is prompt plus tokens generated so far, Computed how many of
	// them have their KV as of the last step's end, Chunk how many more the
	// step under way computes.
	Total, Computed, Chunk int32
	// PrefillEnd is Total as it was on admission: what lies below is
	// prefill, be it the first time or after a preemption.
	PrefillEnd int32
	// Finish is Total when the last token is out.
	Finish int32
	// High is how many tokens were computed at most before a preemption.
	High   int32
	Prompt int32
}

// queueing is a request's place in the wait queue of its replica.
type queueing struct {
	// Turn numbers the entries to the queue, which Rank orders first, within a Group.
	Rank, Turn int64
	Group      int32
	// Join numbers the times that the queue got a request that may run: by an entry, or
	// because KV has come.
	Join int64
	// Predicted is how many tokens the scheduler's predictor gives the answer.
	Predicted int64
	// Overtaken and Blocked say what the order of a wait queue did to it (see
	// simulator.QueueUse). They are figures: nothing undoes them, and no decision reads them.
	Overtaken, Blocked bool
}

// batching is a request's place in the batch of its replica.
type batching struct {
	// Admitted numbers the admissions to the batch.
	Admitted int64
	// Joined numbers the step since which the request gets a token with each; 0 if it is
	// not in step. In step it is in Running, and Chunk is 1.
	Joined int64
}

// residence is what a request has with the replica that serves it.
type residence struct {
	// Replica is its number, or simulator.NoReplica before some endpoint has had the request.
	Replica int32
	// Reached changes in Reach, and when the request is routed again.
	Reached Milestone
	// Cached is what the prefix cache gave at the first admission, Remote how much of the
	// prompt came from the replica that computed it.
	Cached, Remote int32
}

// kvContent is the KV blocks of a request, and what is in them.
type kvContent struct {
	// Blocks are held in Loading, Ready and Running.
	Blocks kv.Sequence
	// Source is one more than the number of the record of the copies of its blocks under
	// way to lower tiers; 0 is none.
	Source int32
	// Chain is the full blocks of prompt and answer together, once the request
	// has come to the front of its queue, which Chained says; empty without prefix caching.
	// A request may wait and run with either, and a short one has no full block.
	Chain   []prompt.Stretch
	Chained bool
	// Anonymous says that Chain ends where the text begins that only this request has.
	Anonymous bool
	// Answer is the generated tokens, all of them but for those of Terms.
	Answer prompt.Extent
}

// tierLoad is the way of a request's KV from lower tiers: in phase Loading, unless a hand-over
// brings it.
type tierLoad struct {
	// Loads counts the transfers under way to the blocks; Loading is since when.
	Loads   int32
	Loading simtime.Time
	// TierTokens is what each tier gave at the first admission, beyond the prefix cache.
	TierTokens [simulator.TierKinds]int32
}

// times are those of a request. Unset ones have not come.
type times struct {
	// RoutedAt is when the router was asked where the request goes.
	RoutedAt simtime.Time
	// EntryAt is when the request comes to the wait queue, while it is on its way
	// there.
	EntryAt simtime.Time
	// Entered is when the request first came to the wait queue.
	Entered simtime.Time
	// LacksAdapter is when the scheduler first passed it over for want of its LoRA adapter,
	// which it still waits for then.
	LacksAdapter simtime.Time
	// ScheduledAt is when the first step began that computed something.
	ScheduledAt simtime.Time
	// LastToken is when the engine gave the last token, by its own clock;
	// FirstToken is when the first one reached the gateway.
	LastToken, FirstToken simtime.Time
}

// client is what the gateway knows of a request.
type client struct {
	// Retry says that this is not the first attempt of a client: a fact of the workload.
	Retry bool
	// Counted says that the gateway's traffic counts it as in flight: from when the admission
	// lets it enter, in all phases that follow.
	Counted bool
	// Believed is what the router believed of it that sent it on its way.
	Believed policy.Belief
}

// InStep says that the request gets a token with each step.
func (q *Request) InStep() bool { return q.Joined > 0 }

// Incomplete says of a request that runs that some of its KV is still on its way from another
// replica: no other request may use its blocks.
func (q *Request) Incomplete() bool { return q.Handoff != 0 && !q.Job }

// Decoding says that the request's next token needs one token computed, and
// not a prompt or a recompute.
func (q *Request) Decoding() bool { return q.Computed >= q.PrefillEnd }

// Scheduled reports whether some step has computed something of the request.
func (q *Request) Scheduled() bool { return q.ScheduledAt != Unset }

// Accepted reports whether some endpoint has had the request.
func (q *Request) Accepted() bool { return q.Replica != simulator.NoReplica }

// Generated is how many tokens the engine gave.
func (q *Request) Generated() int32 { return q.Total - q.Prompt }

// Completion describes a request whose last token reached the gateway.
func (q *Request) Completion(last simtime.Time) simulator.Completion {
	return simulator.Completion{
		ID:           q.Info.ID,
		Arrival:      q.Info.Arrival,
		FirstToken:   q.FirstToken,
		LastToken:    last,
		PromptTokens: int(q.Prompt),
		CachedTokens: int(q.Cached),
		TierTokens:   q.TierTokens,
		OutputTokens: int(q.Generated()),
	}
}

// Slots holds the requests in flight.
type Slots struct {
	All  []Request
	free []int32
}

// Take returns a slot with the memory of an earlier request in it, all else
// zero. It moves slots: pointers to requests do not survive it.
func (s *Slots) Take() int32 {
	if n := len(s.free); n > 0 {
		id := s.free[n-1]
		s.free = s.free[:n-1]
		return id
	}
	if len(s.All) == cap(s.All) {
		s.All = slices.Grow(s.All, max(16, len(s.All)))
	}
	s.All = append(s.All, Request{})
	return int32(len(s.All) - 1)
}

// Release frees a slot. The request must hold no blocks.
func (s *Slots) Release(id int32) {
	q := &s.All[id]
	chain := q.Chain[:0]
	*q = Request{}
	q.Chain = chain
	s.free = append(s.free, id)
}
