// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"fmt"
	"testing"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// leastWaiting sends a request to the endpoint with the fewest scraped and
// outstanding requests, the next one in turn among equals.
type leastWaiting struct {
	outstanding []int
	turn        int
}

func (l *leastWaiting) Route(v *policy.View, _ *policy.Request) (policy.Route, error) {
	if l.outstanding == nil {
		l.outstanding = make([]int, len(v.Scrapes))
	}
	n := len(v.Scrapes)
	best := l.turn % n
	for k := range n {
		i := (l.turn + k) % n
		if v.Scrapes[i].Waiting+l.outstanding[i] < v.Scrapes[best].Waiting+l.outstanding[best] {
			best = i
		}
	}
	l.turn++
	l.outstanding[best]++
	return policy.To(best), nil
}

func (l *leastWaiting) FirstToken(*policy.Request, int) {}

// routing has the router hear of ends.
func (l *leastWaiting) routing() policy.Routing { return policy.Routing{Router: l, Responses: l} }

func (l *leastWaiting) Finished(_ *policy.Request, endpoint int) { l.outstanding[endpoint]-- }

// llamaPool is Llama-3.1-8B on one H100 a replica.
func llamaPool(t *testing.T, replicas int) simulator.Pool {
	model, known := latency.Builtin().Model("meta-llama/Llama-3.1-8B-Instruct")
	gpu, ok := latency.Builtin().Accelerator("h100-sxm")
	if !known || !ok {
		t.Fatal("the catalogue has no such model or accelerator")
	}
	instance := latency.Instance{Model: model, Accelerator: gpu, TensorParallelism: 1}
	return simulator.Pool{
		Name: "llama", Replicas: replicas,
		Timer:       instance.Roofline(instance.DefaultRoofline()),
		BlockTokens: 16, KVBlocks: 26312, PrefixCaching: true,
		MaxNumSeqs: 256, MaxNumBatchedTokens: 8192,
	}
}

// referenceClients are 20 Poisson clients with shares as 1/(i+1), client i in
// prefix group i of 1024 tokens, 5 tenants and 3 classes in turn.
func referenceClients(rate float64) []workload.Client {
	const n = 20
	total := 0.0
	for i := range n {
		total += 1 / float64(i+1)
	}
	var clients []workload.Client
	for i := range n {
		clients = append(clients, workload.Client{
			Name: fmt.Sprint("client-", i), Tenant: fmt.Sprint("tenant-", i%5), Class: fmt.Sprint("class-", i%3),
			Arrivals:    workload.Arrivals{Process: workload.Poisson, RatePerSecond: rate / float64(i+1) / total},
			Input:       workload.Lengths{Distribution: stats.Normal{Mean: 256, StdDev: 100}, Min: 32, Max: 1024},
			Output:      workload.Lengths{Distribution: stats.Normal{Mean: 128, StdDev: 50}, Min: 16, Max: 512},
			PrefixGroup: fmt.Sprint("group-", i), PrefixTokens: 1024,
		})
	}
	return clients
}
