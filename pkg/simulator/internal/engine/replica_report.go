// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/measure"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// Restart begins the figures anew.
func (r *Replica) Restart(now simtime.Time) {
	r.Use = measure.Use{Since: now, Settled: now, PeakUsed: r.Cache.Used(), Evicted: r.Cache.Evictions(), Worked: r.Use.Worked, Blocks: r.Use.Blocks}
	if r.Tiers != nil {
		r.Tiers.Restart(now)
	}
	r.Links.Restart(now)
}

// Report settles the figures at the end of the run.
func (r *Replica) Report(now simtime.Time) simulator.ReplicaUse {
	u := &r.Use
	u.Settle(now, r.Cache.Used())
	busy := u.Busy
	if r.Stepping {
		busy += now.Sub(max(r.StepStart, u.Since))
	}
	blocks := float64(r.Cache.Blocks())
	report := simulator.ReplicaUse{
		Pool: r.Pool, Lifetimes: r.Lifetimes.Within(u.Since, now), Busy: busy, Steps: u.Steps, Served: u.Served, ServedTokens: u.ServedTokens,
		PeakKV:      float64(u.PeakUsed) / blocks,
		Preemptions: u.Preemptions, Evictions: r.Cache.Evictions() + u.Lost - u.Evicted,
		Links: r.Links.Report(now),
	}
	report.MeanKV = u.Mean(report.Present()) / blocks
	if r.Watch != nil && r.Watch.reports {
		report.Queue = &r.Watch.QueueUse
	}
	if r.Advisor != nil {
		report.Stability = r.Advisor.Last
	}
	if r.Tiers != nil {
		report.Tiers = r.Tiers.Report(now)
	}
	return report
}

// settleGauges accounts for the time up to now, before something of the replica changes.
func (r *Replica) settleGauges() {
	if r.Gauges.Stale(r.Now) {
		r.settleStaleGauges()
	}
}

func (r *Replica) settleStaleGauges() {
	busy := int64(0)
	if r.Stepping {
		busy = 1
	}
	r.Gauges.Settle(r.Now, int64(r.Waiting.Len())+int64(r.Loading), int64(len(r.Batch.Running)), busy)
}

// EndGauges settles the gauges at the end of the run.
func (r *Replica) EndGauges(end simtime.Time) {
	r.Now = end
	r.settleGauges()
	r.Gauges.End(end, r.Cache.Used(), r.Lifetimes)
}

// tellStep tells of a step that begins.
func (r *Replica) tellStep(now simtime.Time, step *latency.Step, duration time.Duration) {
	r.Listeners.Stepped(simulator.EngineStep{
		At: now, Duration: duration, Replica: int(r.Index),
		Running: len(r.Batch.Running), Waiting: r.Waiting.Len() + int(r.Loading),
		PrefillTokens: step.PrefillTokens, DecodeTokens: step.DecodeTokens, KVUsage: r.Cache.Usage(),
	})
}

// preemptionOf describes the preemption of a request that still has its place.
func (r *Replica) preemptionOf(q *request.Request) simulator.Preemption {
	return simulator.Preemption{
		At: r.Now, Request: q.Info.ID, Replica: int(r.Index), Running: len(r.Batch.Running),
		Waiting: r.Waiting.Len() + int(r.Loading), Computed: int(q.Computed), KVUsage: r.Cache.Usage(),
	}
}
