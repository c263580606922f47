// SPDX-License-Identifier: Apache-2.0

package simulation

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

// exports are an engine's counters since it started, where a router reads them. Nil
// ones count nothing.
type exports struct {
	counters policy.Engine
	// latencies are nil where no scaler reads them.
	latencies *latencyCounts
	// admitted counts the requests that have got blocks; times are when the last ones
	// did, by their number modulo waitPace.
	admitted int64
	times    [waitPace]simtime.Time
	// finished counts the requests that have given their last token, or computed a prompt
	// for another replica.
	finished int64
}

// restart begins the counters anew, as an engine that starts does.
func (x *exports) restart() {
	latencies := x.latencies
	*x = exports{latencies: latencies}
	if latencies != nil {
		*latencies = latencyCounts{}
	}
}

// admit counts a request that gets blocks for the first time, with the tokens of its
// prompt that GPU memory has and those that come from elsewhere.
func (x *exports) admit(now simtime.Time, q *request.Request, cached, external int32) {
	if x == nil || q.Exported {
		return
	}
	q.Exported = true
	c := &x.counters
	c.PrefixCacheQueries += int64(q.Prompt)
	c.PrefixCacheHits += int64(cached)
	c.ExternalPrefixCacheHits += int64(external)
	x.times[x.admitted%waitPace] = now
	x.admitted++
}

// firstToken counts a request whose prompt is computed.
func (x *exports) firstToken(now simtime.Time, q *request.Request) {
	if x != nil {
		observe(&x.counters.TimeToFirstToken, now.Sub(q.Entered), 1)
		if x.latencies != nil {
			x.latencies.firstTokens.Observe(autoscaling.TimeToFirstTokenBounds, now.Sub(q.Entered), 1)
		}
	}
}

// tokens counts n tokens that each came a gap after the one before.
func (x *exports) tokens(gap time.Duration, n int64) {
	if x != nil {
		observe(&x.counters.InterTokenLatency, gap, n)
		if x.latencies != nil {
			x.latencies.gaps.Observe(autoscaling.InterTokenLatencyBounds, gap, n)
		}
	}
}

// finish counts a request that the engine has finished.
func (x *exports) finish() {
	if x != nil {
		x.finished++
	}
}

func observe(o *policy.Observed, d time.Duration, n int64) {
	o.Sum += d * time.Duration(n)
	o.Count += n
}

// stored counts bytes that have arrived in a tier.
func (x *exports) stored(kind simulator.TierKind, bytes int64) {
	if x != nil {
		x.counters.StoredBytes[cacheTier(kind)] += bytes
	}
}

// loaded counts bytes that are sent from a tier to the GPU.
func (x *exports) loaded(kind simulator.TierKind, bytes int64) {
	if x != nil {
		x.counters.LoadedBytes[cacheTier(kind)] += bytes
	}
}

// cacheTier is a tier as policies know it.
func cacheTier(kind simulator.TierKind) policy.CacheTier {
	if kind == simulator.StorageTier {
		return policy.Storage
	}
	return policy.CPUMemory
}

// wait is how long so many requests take to get blocks at the pace of the last ones.
func (x *exports) wait(now simtime.Time, waiting int) time.Duration {
	n := min(x.admitted, waitPace)
	if n == 0 {
		return 0
	}
	oldest := x.times[(x.admitted-n)%waitPace]
	return time.Duration(waiting) * now.Sub(oldest) / time.Duration(n)
}

// engine is what the replica's metrics endpoint shows beside a scrape.
func (r *replica) engine(at simtime.Time, scrape *policy.Scrape) policy.Engine {
	e := r.exports.counters
	e.KVUsage[policy.GPUMemory] = scrape.KVUsage
	if l := r.tiers; l != nil {
		for k := range l.tiers {
			t := &l.tiers[k]
			e.KVUsage[cacheTier(t.kind)] = float64(t.store.Used()) / float64(t.store.Blocks())
		}
	}
	e.EstimatedWait = r.exports.wait(at, scrape.Waiting)
	return e
}

// latencyCounts are the histograms that an engine exports.
type latencyCounts struct{ firstTokens, gaps autoscaling.Buckets }

// watchLatencies has the engine count what a scaler may read.
func (r *replica) watchLatencies() {
	if r.exports == nil {
		r.exports = &exports{}
	}
	r.exports.latencies = &latencyCounts{}
}

// worked is how long steps were under way up to now.
func (r *replica) worked() time.Duration {
	if r.stepping {
		return r.use.Worked + r.cluster.now.Sub(r.stepStart)
	}
	return r.use.Worked
}

// scraped is what the replica's metrics endpoint shows. Of the step under way
// it shows the batch and the blocks, and none of the results.
func (r *replica) scraped(at simtime.Time) policy.Scrape {
	scrape := policy.Scrape{
		At:          at,
		Waiting:     r.waiting.Len() + int(r.port.loading),
		Running:     len(r.batch.running),
		KVUsage:     r.cache.Usage(),
		BlockTokens: r.cache.BlockTokens(),
		Blocks:      r.reported,
	}
	if r.port.transfers > 0 {
		scrape.Transfers = r.port.transfers
		scrape.TransferDelay = r.delay(at)
	}
	return scrape
}
