// SPDX-License-Identifier: Apache-2.0

package result

import (
	"testing"
	"time"

	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// pkg/report prints what is recorded here.
func TestDocumentsOfARunGolden(t *testing.T) {
	three := []*Document{
		makeDocument(44, 3*time.Millisecond),
		makeDocument(42, 0),
		makeDocument(43, 5*time.Millisecond),
	}
	plain := &simulator.Result{
		Labels:   workload.Labels{Tenants: []string{"default"}, Classes: []string{"default"}},
		Pools:    []string{"llama"},
		Cells:    []simulator.Cell{makeCell(0, 0, 0, 50, 20*time.Millisecond, time.Millisecond)},
		Measured: 2 * time.Second,
		End:      2e9,
		Replicas: []simulator.ReplicaUse{{Pool: 0, Lifetimes: []simulator.Lifetime{{To: 2e9}}, Busy: time.Second, Served: 50}},
	}
	one := NewDocument(plain, Meta{Seed: 7, Provenance: Provenance{
		Loop: OpenLoop,
		Pools: []PoolProvenance{{
			Name: "llama", Replicas: 1, LatencyModel: "physics", Scheduler: "Priority",
			Quantization: QuantizationProvenance{Weights: "fp8", KVCache: "fp8"},
			RequestCost:  RequestCostProvenance{QueueBaseSeconds: 0.015563, PerOutputTokenSeconds: 45e-6},
			Caveats:      []string{"prompts are too fast"},
		}},
		Router: RouterProvenance{ScrapeIntervalSeconds: 0.05},
		Workload: WorkloadProvenance{
			TraceProvenance: TraceProvenance{TraceFormat: "Mooncake", TraceSHA256: "aa6d3a1c7d2b11f2e5f7", Arrivals: "Spread", RateScale: 1.5},
		},
	}})
	cases := map[string][]*Document{
		"run.json":          three,
		"run-one-seed.json": {one},
	}
	for name, docs := range cases {
		t.Run(name, func(t *testing.T) {
			golden.Check(t, "testdata/"+name, indented(t, docs))
		})
	}
}
