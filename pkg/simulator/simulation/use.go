// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"math/bits"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// use is what a replica did since a point of time.
type use struct {
	since simtime.Time
	// settled is the time up to which the integral of used blocks stands.
	// The integral is in block·ns and may pass 2^64.
	settled  simtime.Time
	high     uint64
	low      uint64
	peakUsed int
	// evicted is the cache's own count as of since.
	evicted int64
	// lost is what a cache evicted that is gone.
	lost int64
	// blocks follows the used blocks through time; nil where nobody wants to know.
	blocks *gauge
	// worked is the time of all steps that have ended, whatever since is.
	worked time.Duration

	Busy                                     time.Duration
	Steps, Served, ServedTokens, Preemptions int64
}

// settle accounts for the blocks used up to now, before their number changes.
func (u *use) settle(now simtime.Time, used int) {
	high, low := bits.Mul64(uint64(used), uint64(now-u.settled))
	var carry uint64
	u.low, carry = bits.Add64(u.low, low, 0)
	u.high, _ = bits.Add64(u.high, high, carry)
	u.settled = now
	if g := u.blocks; g != nil {
		if now >= g.edge {
			g.cross(now, int64(used), 0, 0)
		}
		if now > g.settled {
			g.passOne(now, int64(used))
		}
	}
}

// changed records a new number of used blocks.
func (u *use) changed(now simtime.Time, before, after int) {
	u.settle(now, before)
	u.peakUsed = max(u.peakUsed, after)
}

// stepped records a step. Of one that was under way when the figures started
// afresh, only the rest counts as busy.
func (u *use) stepped(start, end simtime.Time) {
	u.Busy += end.Sub(max(start, u.since))
	u.worked += end.Sub(start)
	u.Steps++
}

// restart begins the figures anew.
func (r *replica) restart(now simtime.Time) {
	r.use = use{since: now, settled: now, peakUsed: r.cache.Used(), evicted: r.cache.Evictions(), worked: r.use.worked, blocks: r.use.blocks}
	if r.tiers != nil {
		r.tiers.restart(now)
	}
	r.restartLinks(now)
}

// report settles the figures at the end of the run.
func (r *replica) report(now simtime.Time) simulator.ReplicaUse {
	u := &r.use
	u.settle(now, r.cache.Used())
	busy := u.Busy
	if r.stepping {
		busy += now.Sub(max(r.stepStart, u.since))
	}
	blocks := float64(r.cache.Blocks())
	report := simulator.ReplicaUse{
		Pool: r.pool, Lifetimes: r.lifetimes.within(u.since, now), Busy: busy, Steps: u.Steps, Served: u.Served, ServedTokens: u.ServedTokens,
		PeakKV:      float64(u.peakUsed) / blocks,
		Preemptions: u.Preemptions, Evictions: r.cache.Evictions() + u.lost - u.evicted,
		Links: r.reportLinks(now),
	}
	report.MeanKV = u.mean(report.Present()) / blocks
	if r.watch != nil && r.watch.reports {
		report.Queue = &r.watch.QueueUse
	}
	if r.advisor != nil {
		report.Stability = r.advisor.last
	}
	if r.tiers != nil {
		report.Tiers = r.tiers.report(now)
	}
	return report
}

// mean is the mean of the blocks in use over a span, of figures that are settled up
// to its end.
func (u *use) mean(span time.Duration) float64 {
	if span <= 0 {
		return 0
	}
	integral := float64(float64(u.high)*(1<<64)) + float64(u.low)
	return integral / float64(span)
}
