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
//
// While the request is in step with its batch (see batch), total and computed
// are as of the step that joined names.
type request struct {
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
	high int32
	// cell indexes metrics.cells.
	cell int32

	// replica is the one that serves it, or noReplica before some endpoint has had it.
	replica int32
	prompt  int32
	// cached is what the prefix cache gave at the first admission.
	cached int32
	// remote is how much of the prompt came from the replica that computed it.
	remote int32
	phase  phase
	inStep bool
	// job says that this is the prefill job of a hand-over: somebody else
	// answers.
	job bool
	// incomplete says that some of the content of its blocks is still on its
	// way: nobody else may use them.
	incomplete bool
	// believed is what the router believed of it that sent it on its way.
	believed policy.Belief
	// retry says that this is not the first attempt of a client.
	retry bool
	// overtaken and blocked say what the order of a wait queue did to it (see QueueUse).
	overtaken, blocked bool
	// counted says that the gateway's traffic counts it as in flight.
	counted bool
	// exported says that the exports of the replica count the request's prompt.
	exported bool
	// moved says that the request was routed again and the endpoint that it has
	// now has not given a token.
	moved bool
	// charged says that the prompt counts as served by the replica.
	charged bool
	// group is the lane of the request in the wait queue.
	group int32
	// loads counts transfers from lower tiers under way to its blocks; loading
	// is since when.
	loads   int32
	loading simtime.Time
	// handoff is one more than the number of its hand-over, keep of the copies
	// of its blocks under way to lower tiers; 0 is none.
	handoff, source int32
	// tierTokens is what the tiers gave at the first admission, beside cached.
	tierTokens [simulator.TierKinds]int32
	joined     int64
	// scheduledAt is when the first step began that computed something; unset before.
	scheduledAt simtime.Time
	// admitted numbers the admissions to the replica's batch, turn the
	// entries to its queue, which rank orders first. predicted is how many tokens the
	// scheduler's predictor gives the answer.
	admitted, rank, turn, predicted int64
	// join numbers the times that a replica's queue got somebody who may run: by an entry,
	// or because KV has come.
	join int64
	// routedAt is when the router was asked where the request goes.
	routedAt simtime.Time
	// entryAt is when the request comes to the wait queue, while it is on its way
	// there.
	entryAt simtime.Time
	// entered is when the request first came to the wait queue.
	entered simtime.Time
	// lastToken is when the engine gave the last token, by its own clock;
	// firstToken is when the first one reached the gateway.
	lastToken, firstToken simtime.Time

	blocks kv.Sequence
	// answer is the generated tokens, all of them.
	answer prompt.Extent
	// chain is the full blocks of prompt and answer together, once the request
	// has come to the front of its queue; empty without prefix caching.
	chain   []prompt.Stretch
	chained bool
	// info is what policies may know.
	info policy.Request
}

// decoding says that the request's next token needs one token computed, and
// not a prompt or a recompute.
func (q *request) decoding() bool { return q.computed >= q.prefillEnd }

// scheduled reports whether some step has computed something of the request.
func (q *request) scheduled() bool { return q.scheduledAt != unset }

// accepted reports whether some endpoint has had the request.
func (q *request) accepted() bool { return q.replica != noReplica }

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
	*q = request{chain: q.chain[:0]}
	s.free = append(s.free, id)
}
