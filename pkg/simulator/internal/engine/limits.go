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
type limits struct {
	timer latency.StepTimer
	Cost  latency.RequestCost
	// MaxSeqs bounds the requests of a batch, MaxTokens the tokens of a step, longPrefill
	// those of one prompt in it, and maxModelTokens a whole request; 0 is no bound of that.
	MaxSeqs        int
	MaxTokens      int32
	longPrefill    int32
	maxModelTokens int64
	PrefixCaching  bool
	// reserve admits a request only where the whole of it fits, asynchronous makes the
	// schedule of a step when the one before it begins.
	reserve, asynchronous bool
	blockBytes            int64
	// reported is how many blocks the engine says that the cache has.
	reported int
}

func newLimits(p *simulator.Pool) limits {
	return limits{
		timer:          p.Timer,
		Cost:           p.Cost,
		MaxSeqs:        p.MaxNumSeqs,
		MaxTokens:      int32(min(p.MaxNumBatchedTokens, math.MaxInt32)),
		longPrefill:    int32(min(cmp.Or(p.LongPrefillTokens, math.MaxInt32), math.MaxInt32)),
		maxModelTokens: int64(p.MaxModelLen),
		PrefixCaching:  p.PrefixCaching,
		reserve:        p.ReserveFullPrompt,
		asynchronous:   p.AsynchronousScheduling,
		blockBytes:     p.BlockBytes,
		reported:       cmp.Or(p.ReportedBlocks, p.KVBlocks),
	}
}

// chunkLimit is the most tokens of a request that one step computes.
func (l *limits) chunkLimit(q *request.Request) int32 {
	if hint := q.Info.Hints.PrefillChunk; hint > 0 {
		return min(int32(hint), l.longPrefill)
	}
	return l.longPrefill
}

// firstChunk is how many of a request's tokens need room when it is admitted.
func (l *limits) firstChunk(q *request.Request, tokens int32) int32 {
	if l.reserve {
		return tokens
	}
	return min(tokens, l.chunkLimit(q), l.MaxTokens)
}

// entryDelay is how long a request is held up before it enters the wait queue.
func (l *limits) entryDelay(prompt int32) time.Duration {
	return l.Cost.QueueBase + time.Duration(prompt)*l.Cost.QueuePerInputToken
}

// AtGateway is when the token that the engine gave last reaches the gateway.
// What a token costs outside the engine delays it and all that follow, so that
// it shows in TTFT and in every gap, while the engine's clock does not wait.
func (l *limits) AtGateway(now simtime.Time, q *request.Request) simtime.Time {
	return now.Add(l.Cost.PerOutputToken * time.Duration(q.Generated()))
}
