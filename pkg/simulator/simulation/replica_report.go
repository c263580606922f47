// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/measure"
)

// restart begins the figures anew.
func (r *replica) restart(now simtime.Time) {
	r.use = measure.Use{Since: now, Settled: now, PeakUsed: r.cache.Used(), Evicted: r.cache.Evictions(), Worked: r.use.Worked, Blocks: r.use.Blocks}
	if r.tiers != nil {
		r.tiers.restart(now)
	}
	r.restartLinks(now)
}

// report settles the figures at the end of the run.
func (r *replica) report(now simtime.Time) simulator.ReplicaUse {
	u := &r.use
	u.Settle(now, r.cache.Used())
	busy := u.Busy
	if r.stepping {
		busy += now.Sub(max(r.stepStart, u.Since))
	}
	blocks := float64(r.cache.Blocks())
	report := simulator.ReplicaUse{
		Pool: r.pool, Lifetimes: r.lifetimes.Within(u.Since, now), Busy: busy, Steps: u.Steps, Served: u.Served, ServedTokens: u.ServedTokens,
		PeakKV:      float64(u.PeakUsed) / blocks,
		Preemptions: u.Preemptions, Evictions: r.cache.Evictions() + u.Lost - u.Evicted,
		Links: r.reportLinks(now),
	}
	report.MeanKV = u.Mean(report.Present()) / blocks
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
	if r.gauges.Stale(r.now) {
		r.settleStaleGauges()
	}
}

func (r *replica) settleStaleGauges() {
	busy := int64(0)
	if r.stepping {
		busy = 1
	}
	r.gauges.Settle(r.now, int64(r.waiting.Len())+int64(r.port.loading), int64(len(r.batch.running)), busy)
}

// endGauges settles the gauges at the end of the run.
func (r *replica) endGauges(end simtime.Time) {
	r.now = end
	r.settleGauges()
	r.gauges.End(end, r.cache.Used(), r.lifetimes)
}
