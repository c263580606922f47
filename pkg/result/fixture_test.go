// SPDX-License-Identifier: Apache-2.0

package result

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// makeCell returns a cell of n completed requests whose latencies grow from
// first by one step a request.
func makeCell(pool, tenant, class, n int, first, step time.Duration) simulator.Cell {
	c := simulator.Cell{
		Pool: pool, Tenant: tenant, Class: class,
		Arrived: int64(n), Completed: int64(n),
		Good: int64(n - 1), MetTTFT: int64(n - 1), MetTPOT: int64(n), MetE2E: int64(n),
		PromptTokens: int64(100 * n), CachedTokens: int64(25 * n), OutputTokens: int64(10 * n),
	}
	for i := range n {
		ttft := int64(first) + int64(i)*int64(step)
		c.Queueing.Record(ttft / 4)
		c.TTFT.Record(ttft)
		c.EngineTTFT.Record(ttft / 2)
		c.TPOT.Record(ttft / 8)
		c.ITL.RecordN(ttft/8, 9)
		c.E2E.Record(2 * ttft)
	}
	return c
}

// throughout is the life of a replica that is there all the time.
var throughout = []simulator.Lifetime{{From: simtime.Time(2 * time.Second), To: simtime.Time(10 * time.Second)}}

// makeOutcome returns an outcome of two pools, tenants and classes. bias makes
// all latencies longer, as another seed would.
func makeOutcome(bias time.Duration) *simulator.Result {
	rejected := simulator.Cell{Pool: simulator.NoPool, Tenant: 1, Class: 1, Arrived: 4, Rejected: 4}
	rejected.RejectedBy[simulator.NoEndpoint] = 4
	busy := makeCell(1, 1, 1, 40, 90*time.Millisecond+bias, 3*time.Millisecond)
	busy.Arrived += 2
	busy.Unfinished = 2
	busy.Preemptions, busy.RecomputedTokens = 3, 330
	return &simulator.Result{
		Labels: workload.Labels{
			Clients: []string{"chat", "bulk"},
			Tenants: []string{"acme", "blue"},
			Classes: []string{"critical", "sheddable"},
		},
		Pools: []string{"small", "large"},
		Cells: []simulator.Cell{
			rejected,
			makeCell(0, 0, 0, 100, 20*time.Millisecond+bias, time.Millisecond),
			makeCell(1, 0, 0, 60, 30*time.Millisecond+bias, time.Millisecond),
			busy,
		},
		Measured: 8 * time.Second,
		Replicas: []simulator.ReplicaUse{
			{Pool: 0, Lifetimes: throughout, Busy: 4 * time.Second, Steps: 400, Served: 100, PeakKV: 0.5, MeanKV: 0.25},
			{Pool: 1, Lifetimes: throughout, Busy: 6 * time.Second, Steps: 500, Served: 60, PeakKV: 0.75, MeanKV: 0.5, Evictions: 7},
			{Pool: 1, Lifetimes: throughout, Busy: 2*time.Second + bias, Steps: 300, Served: 40, PeakKV: 1, MeanKV: 0.75, Preemptions: 3, Evictions: 5},
		},
		End: simtime.Time(10 * time.Second),
	}
}

// makeMeta returns the rest of a document of makeOutcome: the critical class
// has targets, the other has none.
func makeMeta(seed int64) Meta {
	price := 2.5
	return Meta{
		Key:  "0123456789abcdef",
		Seed: seed,
		Provenance: Provenance{
			Loop: OpenLoop,
			Pools: []PoolProvenance{
				{Name: "small", Model: "meta-llama/Llama-3.1-8B-Instruct", Accelerator: "l40s", TensorParallelism: 1, Replicas: 1, LatencyModel: "roofline", KVBlocks: 12000, BlockTokens: 16},
				{Name: "large", Model: "meta-llama/Llama-3.1-8B-Instruct", Accelerator: "h100-sxm", TensorParallelism: 2, Replicas: 2, LatencyModel: "linear", KVBlocks: 132139, BlockTokens: 16},
			},
			Router:   RouterProvenance{Version: "router-v0.10", ScrapeIntervalSeconds: 0.05},
			Workload: WorkloadProvenance{Clients: 2},
		},
		WarmUp:             2 * time.Second,
		Targets:            []simulator.Target{{TTFT: 100 * time.Millisecond, E2E: time.Second}},
		CostPerReplicaHour: []*float64{&price, &price},
	}
}

func makeDocument(seed int64, bias time.Duration) *Document {
	return NewDocument(makeOutcome(bias), makeMeta(seed))
}

// makeRows returns the rows of a point, one a value, under seeds from 42 on.
func makeRows(point int, values ...map[string]float64) []Row {
	var rows []Row
	for i, metrics := range values {
		rows = append(rows, Row{Key: "key", Point: point, Seed: int64(42 + i), Share: 1, Metrics: NewMetrics(metrics)})
	}
	return rows
}

// ttft99 returns a row's metrics with nothing but ttft.p99, for each value.
func ttft99(values ...float64) []map[string]float64 {
	var metrics []map[string]float64
	for _, v := range values {
		metrics = append(metrics, map[string]float64{"ttft.p99": v})
	}
	return metrics
}

func objective(text string, d Direction) Objective {
	return Objective{Measure: Of(MustParseMetric(text)), Direction: d}
}
