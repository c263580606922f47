// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// acceptanceChance names the draws of acceptance among those of a run.
var acceptanceChance = stats.HashString("acceptance")

// Draw returns a number in [0, 1) for the drafts that follow a number of tokens of an answer. It
// depends on the request's number among those for its model and on that place alone, so that
// it is the same on each engine and under each policy.
func Draw(seed int64, request, generated int) float64 {
	return float64(stats.Hash64(uint64(seed), acceptanceChance, uint64(request), uint64(generated))>>11) * 0x1p-53
}

// accepted returns how many drafts are accepted at a draw.
func accepted(s *simulator.Speculation, drafts int32, at float64) int32 {
	n := int32(0)
	for n < drafts && at < s.Acceptance[n] {
		n++
	}
	return n
}

// Speculates says that requests of the replica that decode verify drafts. It then treats
// requests one by one in all steps.
func (r *Replica) Speculates() bool { return r.Config.Speculation != nil }

// mostTokens is how many tokens of a request are computed at most, and for how many it has
// blocks at most. The last token of the longest text is not computed.
func (r *Replica) mostTokens() (computed, kept int32) {
	capacity := min(int64(r.Config.KVTokens()), math.MaxInt32)
	if model := r.maxModelTokens; model > 0 && model <= capacity {
		return int32(model - 1), int32(model)
	}
	return int32(capacity), int32(capacity)
}

// wants returns how many tokens a request that runs would have a step compute.
func (r *Replica) wants(q *request.Request) int32 {
	n := q.Total - q.Computed
	if !r.Speculates() || !q.Decoding() {
		return n
	}
	most, _ := r.mostTokens()
	return min(n+int32(r.Config.Speculation.Tokens), most-q.Computed)
}

// extend gives a request that runs blocks for its next n tokens, and, where the replica
// speculates, for those that it looks ahead. Drafts cannot be found in the cache.
func (r *Replica) extend(q *request.Request, n int32) bool {
	tokens := q.Computed + n
	if !r.Speculates() {
		return r.Cache.Extend(q.Blocks, int(tokens))
	}
	_, most := r.mostTokens()
	room := min(tokens+int32(r.Config.Speculation.Lookahead), most)
	return r.Cache.ExtendPast(q.Blocks, int(min(tokens, q.Total)), int(room))
}

// BlocksHeld returns how many blocks a request has that runs.
func (r *Replica) BlocksHeld(q *request.Request) int {
	if r.Speculates() {
		return r.Cache.Held(q.Blocks)
	}
	return int(r.blocksOf(q.Computed + q.Chunk))
}

// verify ends a step in which a request has verified drafts: it gets a token, and those
// drafts that are accepted, up to the end of its answer.
func (r *Replica) verify(id int32, q *request.Request) {
	s, drafts := r.Config.Speculation, q.Chunk-1
	accepted := accepted(s, drafts, Draw(r.Seed, q.Info.Turn, int(q.Generated())))
	r.Metrics.Verified(r.Now, q.Cell, int64(drafts), int64(accepted))
	n := min(1+accepted, q.Finish-q.Total)
	q.Total += n
	q.Computed, q.Chunk = q.Total-1, 0
	r.token(id, q, n)
}
