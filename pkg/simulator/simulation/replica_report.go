// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

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

// settleGauges accounts for the time up to now, before something of the replica changes.
func (r *replica) settleGauges() {
	if r.gauges.stale(r.now) {
		r.settleStaleGauges()
	}
}

func (r *replica) settleStaleGauges() {
	busy := int64(0)
	if r.stepping {
		busy = 1
	}
	r.gauges.settle(r.now, int64(r.waiting.Len())+int64(r.port.loading), int64(len(r.batch.running)), busy)
}

// endGauges settles the gauges at the end of the run.
func (r *replica) endGauges(end simtime.Time) {
	r.now = end
	r.settleGauges()
	r.gauges.end(end, r.cache.Used(), r.lifetimes)
}
