// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"cmp"
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/measure"
)

// Restart begins the figures anew.
func (r *Replica) Restart(now simtime.Time) {
	r.Use = measure.Use{Since: now, Settled: now, PeakUsed: r.Cache.Used(), Evicted: r.Cache.Evictions(), Worked: r.Use.Worked, Blocks: r.Use.Blocks}
	if r.Tiers != nil {
		r.Tiers.Restart(now)
	}
	r.links.Restart(now)
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
		Links: r.links.Report(now),
	}
	report.MeanKV = u.Mean(report.Present()) / blocks
	if r.watch != nil && r.watch.reports {
		report.Queue = &r.watch.QueueUse
	}
	if r.Advisor != nil {
		report.Stability = r.Advisor.Last
	}
	if r.Tiers != nil {
		report.Tiers = r.Tiers.Report(now)
	}
	return report
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
		Running: len(r.Batch.Running), Waiting: r.waiting(),
		PrefillTokens: step.PrefillTokens, DecodeTokens: step.DecodeTokens, KVUsage: r.Cache.Usage(),
	})
}

// Engine is what the replica's metrics endpoint shows in addition to a scrape.
func (r *Replica) Engine(at simtime.Time, scrape *policy.Scrape) policy.Engine {
	e := r.Exports.counters
	e.KVUsage[policy.GPUMemory] = scrape.KVUsage
	if r.Tiers != nil {
		for kind, t := range r.Tiers.All() {
			at := cacheTier(kind)
			e.KVUsage[at] = float64(t.Used()) / float64(t.Blocks())
			e.StoredBytes[at], e.LoadedBytes[at] = r.Tiers.Stored[kind], r.Tiers.Loaded[kind]
		}
	}
	e.EstimatedWait = r.Exports.wait(at, scrape.Waiting)
	return e
}

// Worked is how long steps were under way up to now.
func (r *Replica) Worked() time.Duration {
	if r.Stepping {
		return r.Use.Worked + r.Now.Sub(r.StepStart)
	}
	return r.Use.Worked
}

// Scraped is what the replica's metrics endpoint shows. Of the step under way
// it shows the batch and the blocks, and none of the results.
func (r *Replica) Scraped(at simtime.Time) policy.Scrape {
	scrape := policy.Scrape{
		At:          at,
		Waiting:     r.waiting(),
		Running:     len(r.Batch.Running),
		KVUsage:     r.Cache.Usage(),
		BlockTokens: r.Cache.BlockTokens(),
		Blocks:      cmp.Or(r.Config.ReportedBlocks, r.Config.KVBlocks),
	}
	if r.links.UnderWay > 0 {
		scrape.Transfers = r.links.UnderWay
		scrape.TransferDelay = r.links.Delay(at)
	}
	return scrape
}
