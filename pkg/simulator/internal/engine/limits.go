// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"cmp"
	"math"
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// limits are what a replica may do at once, and what its work costs: those of its pool.
// What is read in each step stands here; the rest is in Config.
type limits struct {
	Config *simulator.Pool
	timer  latency.StepTimer
	cost   latency.RequestCost
	// MaxSeqs bounds the requests of a batch, MaxTokens the tokens of a step, longPrefill
	// those of one prompt in it, and maxModelTokens a whole request; 0 is no bound of that.
	MaxSeqs        int
	MaxTokens      int32
	longPrefill    int32
	maxModelTokens int64
	// kvTokens is how many tokens a request can have the KV of that is alone.
	kvTokens      int64
	PrefixCaching bool
	// reserve admits a request only where the whole of it fits, asynchronous makes the
	// schedule of a step when the one before it begins.
	reserve, asynchronous bool
}

func newLimits(p *simulator.Pool) limits {
	return limits{
		Config:         p,
		timer:          p.Timer,
		cost:           p.Cost,
		MaxSeqs:        p.MaxNumSeqs,
		MaxTokens:      int32(min(p.MaxNumBatchedTokens, math.MaxInt32)),
		longPrefill:    int32(min(cmp.Or(p.LongPrefillTokens, math.MaxInt32), math.MaxInt32)),
		maxModelTokens: int64(p.MaxModelLen),
		kvTokens:       int64(p.KVTokens()),
		PrefixCaching:  p.PrefixCaching,
		reserve:        p.ReserveFullPrompt,
		asynchronous:   p.AsynchronousScheduling,
	}
}

// Refuses says whether the engine can never serve a number of tokens, and why. The
// last token of an answer leaves without a KV of its own.
func (l *limits) Refuses(prompt, total int64) (simulator.Reason, bool) {
	switch {
	case prompt == 0:
		return simulator.EmptyPrompt, true
	case l.maxModelTokens > 0 && total > l.maxModelTokens:
		return simulator.ExceedsModelLength, true
	case total-1 > l.kvTokens:
		return simulator.ExceedsKVCache, true
	}
	return 0, false
}

// chunkLimit is the most tokens of a request that one step computes.
func (l *limits) chunkLimit(q *request.Request) int32 {
	most := l.longPrefill
	if hint := q.Info.Hints.PrefillChunk; hint > 0 {
		most = min(most, int32(hint))
	}
	return most
}

// firstChunk is how many of a request's tokens need room when it is admitted.
func (l *limits) firstChunk(q *request.Request, tokens int32) int32 {
	if l.reserve {
		return tokens
	}
	return min(tokens, l.chunkLimit(q), l.MaxTokens)
}

// Speculates says that requests of the replica that decode verify drafts. It then treats
// requests one by one in all steps.
func (l *limits) Speculates() bool { return l.Config.Speculation != nil }

// mostTokens is how many tokens of a request are computed at most, and for how many it has
// blocks at most. The last token of the longest text is not computed.
func (l *limits) mostTokens() (computed, kept int32) {
	capacity := min(l.kvTokens, math.MaxInt32)
	if model := l.maxModelTokens; model > 0 && model <= capacity {
		return int32(model - 1), int32(model)
	}
	return int32(capacity), int32(capacity)
}

// wants returns how many tokens a request that runs would have a step compute.
func (l *limits) wants(q *request.Request) int32 {
	n := q.Total - q.Computed
	if !l.Speculates() || !q.Decoding() {
		return n
	}
	most, _ := l.mostTokens()
	return min(n+int32(l.Config.Speculation.Tokens), most-q.Computed)
}

// entryDelay is how long a request is held up before it enters the wait queue.
func (l *limits) entryDelay(prompt int32) time.Duration {
	return l.cost.QueueBase + time.Duration(prompt)*l.cost.QueuePerInputToken
}

// atGateway is when the token that the engine gave last reaches the gateway.
// What a token costs outside the engine delays it and all that follow, so that
// it shows in TTFT and in every gap, while the engine's clock does not wait.
func (l *limits) atGateway(now simtime.Time, q *request.Request) simtime.Time {
	return now.Add(l.cost.PerOutputToken * time.Duration(q.Generated()))
}
