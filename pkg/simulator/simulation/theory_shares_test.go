// SPDX-License-Identifier: Apache-2.0

package simulation_test

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// everybodyAtOnce are requests of three tenants in turn that are all there from the start.
type everybodyAtOnce struct {
	stream *stats.Stream
	sent   int
}

func (e *everybodyAtOnce) Labels() workload.Labels {
	return workload.Labels{Tenants: []string{"a", "b", "c"}, Classes: []string{"all"}}
}

func (e *everybodyAtOnce) Next() (workload.Request, bool) {
	id := e.sent
	e.sent++
	return workload.Request{
		ID: id, Arrival: 0, Tenant: id % 3, OutputTokens: 1 + e.stream.IntN(200), Response: uint64(2*id + 1),
		Prompt: prompt.Prompt{Extents: []prompt.Extent{{Source: uint64(2 * id), Tokens: int32(1 + e.stream.IntN(300))}}},
	}, e.sent <= 3000
}

// TestSharesOfFairQueueing: while all tenants have requests that wait, what an engine has
// served each of them stays near its share by weight. Start-time fair queueing bounds the
// distance by one request where the engine serves one at a time, and by those in service
// otherwise. First come, first served, tenants get equal shares here, as they ask for as
// much, and the bound does not hold.
func TestSharesOfFairQueueing(t *testing.T) {
	weights := []float64{1, 2, 5}
	fair := func() scheduling.Scheduler { return scheduling.WeightedFair(weights) }
	for name, tc := range map[string]struct {
		scheduler scheduling.Factory
		places    int
		within    bool
	}{
		"one request at a time":    {fair, 1, true},
		"sixteen at a time":        {fair, 16, true},
		"first come, first served": {scheduling.FCFS, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range int64(5) {
				furthest, bound := distanceFromShares(t, tc.scheduler, weights, tc.places, seed)
				t.Logf("a tenant is %.1f requests from its share, the bound is %.1f", furthest, bound)
				if (furthest <= bound) != tc.within {
					t.Errorf("seed %d: a tenant is %.1f requests from its share, the bound is %.1f", seed, furthest, bound)
				}
			}
		})
	}
}

// distanceFromShares returns how far a tenant was from its share of the tokens at most, as
// a multiple of the tenant's weight times the greatest request ÷ weight, and the bound.
func distanceFromShares(t *testing.T, scheduler scheduling.Factory, weights []float64, places int, seed int64) (furthest, bound float64) {
	t.Helper()
	type end struct {
		simulator.RequestEnd
		tokens float64
	}
	var ends []end
	_, err := simulation.Run(context.Background(), simulator.Config{
		Pools: []simulator.Pool{{
			Name: "engine", Replicas: 1, Timer: timer(func(s latency.Step) time.Duration { return time.Millisecond }),
			BlockTokens: 16, KVBlocks: 1 << 16, MaxNumSeqs: places, MaxNumBatchedTokens: 1 << 16, Scheduler: scheduler,
		}},
		Policies: policy.RoutedBy(&inTurn{}), Source: &everybodyAtOnce{stream: stats.NewStream(seed, "requests")},
		Horizon: simulator.Horizon{Requests: 3000, Drain: 1000 * time.Hour},
		Ended: func(e simulator.RequestEnd) {
			ends = append(ends, end{e, float64(e.PromptTokens + e.OutputTokens)})
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(ends, func(a, b end) int { return int(a.LastToken - b.LastToken) })
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	served := make([]float64, len(weights))
	total, greatest := 0.0, 0.0
	for i, e := range ends[:1200] { // then some tenant may have none that wait
		served[e.Tenant] += e.tokens
		total += e.tokens
		greatest = max(greatest, e.tokens/weights[e.Tenant])
		if i+1 < len(ends) && ends[i+1].LastToken == e.LastToken {
			continue
		}
		for tenant, weight := range weights {
			furthest = max(furthest, math.Abs(served[tenant]-total*weight/sum)/(weight*greatest))
		}
	}
	// A tenant that is ahead had the lowest tag when its last request started: its requests
	// in service alone have put it there. Where several are in service, they are left out
	// of what was served until they end, and add as much.
	if places == 1 {
		return furthest, 1
	}
	return furthest, float64(2 * places)
}
