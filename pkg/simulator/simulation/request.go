// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// unset is a time that has not come yet.
const unset simtime.Time = -1

// request is the state of one request in flight. Slots are used again, and so
// is the memory of chain.
type request struct {
	progress
	queueing
	batching
	residence
	kvContent
	times
	client

	// info is what policies may know.
	info policy.Request
	// phase changes in moveTo alone.
	phase phase
	// cell indexes the cells of the metrics.
	cell int32
	// job says that this is the prefill job of a hand-over: another request answers. Both
	// have handoff, one more than the number of the hand-over; 0 is none.
	job     bool
	handoff int32
}

// progress is how far a request is, in tokens. computed <= total <= finish, and
// prompt <= total.
//
// While the request is in step with its batch, total and computed are as of the step that
// joined names.
type progress struct {
	// total is prompt plus tokens generated so far, computed how many of
	// them have their KV as of the last step's end, chunk how many more the
	// step under way computes.
	total, computed, chunk int32
	// prefillEnd is total as it was on admission: what lies below is
	// prefill, be it the first time or after a preemption.
	prefillEnd int32
	// finish is total when the last token is out.
	finish int32
	// high is how many tokens were computed at most before a preemption.
	high   int32
	prompt int32
}

// queueing is a request's place in the wait queue of its replica.
type queueing struct {
	// turn numbers the entries to the queue, which rank orders first, within a group.
	rank, turn int64
	group      int32
	// join numbers the times that the queue got a request that may run: by an entry, or
	// because KV has come.
	join int64
	// predicted is how many tokens the scheduler's predictor gives the answer.
	predicted int64
	// overtaken and blocked say what the order of a wait queue did to it (see
	// simulator.QueueUse).
	overtaken, blocked bool
}

// batching is a request's place in the batch of its replica.
type batching struct {
	// admitted numbers the admissions to the batch.
	admitted int64
	// inStep says that the request gets a token with each step, since the one that joined
	// numbers. Then it is in phaseRunning, and chunk is 1.
	inStep bool
	joined int64
}

// residence is what a request has with the replica that serves it.
type residence struct {
	// replica is its number, or simulator.NoReplica before some endpoint has had the request.
	replica int32
	// moved says that the request was routed again and the replica has not given a token.
	moved bool
	// charged says that the prompt counts as served by the replica, exported that the
	// exports of the replica count it.
	charged, exported bool
	// cached is what the prefix cache gave at the first admission, tierTokens what lower
	// tiers gave beyond it. remote is how much of the prompt came from the replica that
	// computed it.
	cached, remote int32
	tierTokens     [simulator.TierKinds]int32
}

// kvContent is the KV blocks of a request, and what is in them.
type kvContent struct {
	// blocks are held in phaseLoading, phaseReady and phaseRunning.
	blocks kv.Sequence
	// incomplete says that some of their content is still on its way: no other request may
	// use them.
	incomplete bool
	// loads counts transfers from lower tiers under way to the blocks; loading is since when.
	loads   int32
	loading simtime.Time
	// source is one more than the number of the record of the copies of its blocks under
	// way to lower tiers; 0 is none.
	source int32
	// chain is the full blocks of prompt and answer together, once the request
	// has come to the front of its queue, which chained says; empty without prefix caching.
	chain   []prompt.Stretch
	chained bool
	// answer is the generated tokens, all of them.
	answer prompt.Extent
}

// times are those of a request. unset ones have not come.
type times struct {
	// routedAt is when the router was asked where the request goes.
	routedAt simtime.Time
	// entryAt is when the request comes to the wait queue, while it is on its way
	// there.
	entryAt simtime.Time
	// entered is when the request first came to the wait queue.
	entered simtime.Time
	// scheduledAt is when the first step began that computed something.
	scheduledAt simtime.Time
	// lastToken is when the engine gave the last token, by its own clock;
	// firstToken is when the first one reached the gateway.
	lastToken, firstToken simtime.Time
}

// client is what the gateway knows of a request.
type client struct {
	// retry says that this is not the first attempt of a client.
	retry bool
	// counted says that the gateway's traffic counts it as in flight.
	counted bool
	// believed is what the router believed of it that sent it on its way.
	believed policy.Belief
}

// decoding says that the request's next token needs one token computed, and
// not a prompt or a recompute.
func (q *request) decoding() bool { return q.computed >= q.prefillEnd }

// scheduled reports whether some step has computed something of the request.
func (q *request) scheduled() bool { return q.scheduledAt != unset }

// accepted reports whether some endpoint has had the request.
func (q *request) accepted() bool { return q.replica != simulator.NoReplica }

// generated is how many tokens the engine gave.
func (q *request) generated() int32 { return q.total - q.prompt }

// completion describes a request whose last token reached the gateway.
func (q *request) completion(last simtime.Time) simulator.Completion {
	return simulator.Completion{
		ID:           q.info.ID,
		Arrival:      q.info.Arrival,
		FirstToken:   q.firstToken,
		LastToken:    last,
		PromptTokens: int(q.prompt),
		CachedTokens: int(q.cached),
		TierTokens:   q.tierTokens,
		OutputTokens: int(q.generated()),
	}
}

// requestSlots holds the requests in flight.
type requestSlots struct {
	all  []request
	free []int32
}

// take returns a slot with the memory of an earlier request in it, all else
// zero. It moves slots: pointers to requests do not survive it.
func (s *requestSlots) take() int32 {
	if n := len(s.free); n > 0 {
		id := s.free[n-1]
		s.free = s.free[:n-1]
		return id
	}
	if len(s.all) == cap(s.all) {
		s.all = slices.Grow(s.all, max(64, len(s.all)))
	}
	s.all = append(s.all, request{})
	return int32(len(s.all) - 1)
}

// release frees a slot. The request must hold no blocks.
func (s *requestSlots) release(id int32) {
	q := &s.all[id]
	chain := q.chain[:0]
	*q = request{}
	q.chain = chain
	s.free = append(s.free, id)
}
