// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// waitPace is from how many requests the pace of a queue is taken.
const waitPace = 16

// Exports are an engine's counters since it started, where a router reads them. Nil
// ones count nothing.
type Exports struct {
	counters policy.Engine
	// Latencies are nil where no scaler reads them.
	Latencies *latencyCounts
	// admitted counts the requests that have got blocks; times are when the last ones
	// did, by their number modulo waitPace.
	admitted int64
	times    [waitPace]simtime.Time
	// Finished counts the requests that have given their last token, or computed a prompt
	// for another replica.
	Finished autoscaling.Finished
}

// restart begins the counters anew, as an engine that starts does.
func (x *Exports) restart() {
	latencies := x.Latencies
	*x = Exports{Latencies: latencies}
	if latencies != nil {
		*latencies = latencyCounts{}
	}
}

// admit counts a request that gets blocks for the first time, with the tokens of its
// prompt that GPU memory has and those that come from elsewhere.
func (x *Exports) admit(now simtime.Time, q *request.Request, cached, external int32) {
	if x == nil || !q.Reach(request.HadBlocks) {
		return
	}
	c := &x.counters
	c.PrefixCacheQueries += int64(q.Prompt)
	c.PrefixCacheHits += int64(cached)
	c.ExternalPrefixCacheHits += int64(external)
	x.times[x.admitted%waitPace] = now
	x.admitted++
}

// firstToken counts a request whose prompt is computed.
func (x *Exports) firstToken(now simtime.Time, q *request.Request) {
	if x != nil {
		observe(&x.counters.TimeToFirstToken, now.Sub(q.Entered), 1)
		if x.Latencies != nil {
			x.Latencies.FirstTokens.Observe(autoscaling.TimeToFirstTokenBounds, now.Sub(q.Entered), 1)
		}
	}
}

// tokens counts n tokens that each came a gap after the one before.
func (x *Exports) tokens(gap time.Duration, n int64) {
	if x != nil {
		observe(&x.counters.InterTokenLatency, gap, n)
		if x.Latencies != nil {
			x.Latencies.Gaps.Observe(autoscaling.InterTokenLatencyBounds, gap, n)
		}
	}
}

// finish counts a request that the engine has finished.
func (x *Exports) finish(q *request.Request) {
	if x != nil {
		x.Finished.Add(q.Prompt, q.Generated(), q.Job)
	}
}

func observe(o *policy.Observed, d time.Duration, n int64) {
	o.Sum += d * time.Duration(n)
	o.Count += n
}

// cacheTier is a tier as policies know it.
func cacheTier(kind simulator.TierKind) policy.CacheTier {
	if kind == simulator.StorageTier {
		return policy.Storage
	}
	return policy.CPUMemory
}

// wait is how long a number of requests take to get blocks at the pace of the last ones.
func (x *Exports) wait(now simtime.Time, waiting int) time.Duration {
	n := min(x.admitted, waitPace)
	if n == 0 {
		return 0
	}
	oldest := x.times[(x.admitted-n)%waitPace]
	return time.Duration(waiting) * now.Sub(oldest) / time.Duration(n)
}

// latencyCounts are the histograms that an engine exports.
type latencyCounts struct{ FirstTokens, Gaps autoscaling.Buckets }
