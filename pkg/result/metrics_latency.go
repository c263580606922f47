// SPDX-License-Identifier: Apache-2.0

package result

import (
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// Latency sums up durations, in seconds. Quantiles are over all requests of
// the group, whichever replica served them.
type Latency struct {
	Count int64   `json:"count"`
	Mean  float64 `json:"mean"`
	P50   float64 `json:"p50"`
	P90   float64 `json:"p90"`
	P95   float64 `json:"p95"`
	P99   float64 `json:"p99"`
	Max   float64 `json:"max"`
}

// latencyMetric declares durations: a histogram of the simulator's cell, the place
// of its sum in a group, and how the durations are measured.
type latencyMetric struct {
	name, help string
	cell       func(*simulator.Cell) *stats.Histogram
	group      func(*Group) **Latency
	needs      Need
	audience   audience
}

var latencyMetrics = []latencyMetric{
	{
		name: "ttft", audience: users,
		help:  "time to first token, from the arrival at the gateway",
		cell:  func(c *simulator.Cell) *stats.Histogram { return &c.TTFT },
		group: func(g *Group) **Latency { return &g.TTFT },
	},
	{
		name:  "engineTtft",
		help:  "time to first token as the engine reports it, from the entry into its queue; for a request that is handed over, as the decoding engine reports it",
		cell:  func(c *simulator.Cell) *stats.Histogram { return &c.EngineTTFT },
		group: func(g *Group) **Latency { return &g.EngineTTFT },
	},
	{
		name: "tpot", audience: users,
		help:  "time per output token after the first, one mean for each completed request",
		cell:  func(c *simulator.Cell) *stats.Histogram { return &c.TPOT },
		group: func(g *Group) **Latency { return &g.TPOT },
	},
	{
		name: "itl", audience: users,
		help:  "gap between successive tokens, one value for each gap",
		cell:  func(c *simulator.Cell) *stats.Histogram { return &c.ITL },
		group: func(g *Group) **Latency { return &g.ITL },
	},
	{
		name: "e2e", audience: users,
		help:  "time to the last token, from the arrival at the gateway",
		cell:  func(c *simulator.Cell) *stats.Histogram { return &c.E2E },
		group: func(g *Group) **Latency { return &g.E2E },
	},
	{
		name:  "queueing",
		help:  "time from the arrival at the gateway to the first step that computes something",
		cell:  func(c *simulator.Cell) *stats.Histogram { return &c.Queueing },
		group: func(g *Group) **Latency { return &g.Queueing },
	},
	{
		name: "gatewayQueueing", needs: NeedsFlowControl,
		help:  "time that a request waited at the gateway before the router sent it to a replica",
		cell:  func(c *simulator.Cell) *stats.Histogram { return &c.GatewayQueueing },
		group: func(g *Group) **Latency { return &g.GatewayQueueing },
	},
	{
		name: "admissionDelay", needs: NeedsAdmission,
		help:  "time that a request waited at the gateway because the admission delayed it, one value for each that waited and went to a replica",
		cell:  func(c *simulator.Cell) *stats.Histogram { return &c.AdmissionDelay },
		group: func(g *Group) **Latency { return &g.AdmissionDelay },
	},
	{
		name: "handoff", needs: NeedsHandoffs,
		help:  "time from the end of a prompt's prefill until its decode may begin on another replica, one value for each hand-over",
		cell:  func(c *simulator.Cell) *stats.Histogram { return &c.Handoff },
		group: func(g *Group) **Latency { return &g.Handoff },
	},
	{
		name: "kvLoad", needs: NeedsTiers,
		help:  "time that a request waited for its KV from lower tiers, one value for each load",
		cell:  func(c *simulator.Cell) *stats.Histogram { return &c.KVLoad },
		group: func(g *Group) **Latency { return &g.KVLoad },
	},
	{
		name: "adapterWait", needs: NeedsAdapters,
		help:  "time that a request waited because its LoRA adapter was not loaded or had no place, one value for each wait; requests that found it have none",
		cell:  func(c *simulator.Cell) *stats.Histogram { return &c.AdapterWait },
		group: func(g *Group) **Latency { return &g.AdapterWait },
	},
}

var latencies = subject{
	gather: func(in *selection, g *Group) {
		for i := range latencyMetrics {
			m := &latencyMetrics[i]
			*m.group(g) = newLatency(m.cell(&in.sum))
		}
	},
	families: latencyFamilies(),
}

func latencyFamilies() []family {
	var all []family
	for i := range latencyMetrics {
		m := &latencyMetrics[i]
		f := family{name: m.name, labels: requestLabels, audience: m.audience, statistics: m.statistics()}
		if m.needs != NeedsNothing {
			f = f.needing(m.needs)
		}
		all = append(all, f)
	}
	return all
}

func (m *latencyMetric) statistics() []statistic {
	of := func(name, words string, value func(*Latency) float64) statistic {
		return statistic{name: name, unit: Seconds, direction: Minimize, help: words + " " + m.help, value: func(g *Group) (float64, bool) {
			if l := *m.group(g); l != nil {
				return value(l), true
			}
			return 0, false
		}}
	}
	return []statistic{
		of("mean", "mean of the", func(l *Latency) float64 { return l.Mean }),
		of("p50", "median of the", func(l *Latency) float64 { return l.P50 }),
		of("p90", "90th percentile of the", func(l *Latency) float64 { return l.P90 }),
		of("p95", "95th percentile of the", func(l *Latency) float64 { return l.P95 }),
		of("p99", "99th percentile of the", func(l *Latency) float64 { return l.P99 }),
		of("max", "greatest", func(l *Latency) float64 { return l.Max }),
	}
}

// newLatency sums up a histogram of nanoseconds; nil where it is empty.
func newLatency(h *stats.Histogram) *Latency {
	if h.Count() == 0 {
		return nil
	}
	quantile := func(q float64) float64 { return h.Quantile(q) / 1e9 }
	return &Latency{
		Count: h.Count(),
		Mean:  h.Mean() / 1e9,
		P50:   quantile(0.50),
		P90:   quantile(0.90),
		P95:   quantile(0.95),
		P99:   quantile(0.99),
		Max:   float64(h.Max()) / 1e9,
	}
}
