// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// TestSteadyStateDoesNotAllocate: once slots, queues and histograms have
// grown, requests come and go in the same memory.
func TestSteadyStateDoesNotAllocate(t *testing.T) {
	const warm, measured = 20_000, 20_000
	stream := stats.NewStream(1, "allocation")
	source := &script{}
	for id := range warm + measured {
		source.requests = append(source.requests, workload.Request{
			ID: id, Arrival: simtime.Time(id) * 1_000_000, OutputTokens: 1 + stream.IntN(40), Response: uint64(1_000_000 + id),
			Prompt: prompt.Prompt{Extents: []prompt.Extent{
				{Source: uint64(stream.IntN(5)), Tokens: 100}, {Source: uint64(1000 + id), Tokens: int32(1 + stream.IntN(100))},
			}},
		})
	}
	s := newSimulation(context.Background(), simulator.Config{
		Pools: []simulator.Pool{{
			Name: "pool", Replicas: 4, Timer: mixedStep{base: 5e6, token: 2e4, read: 100}, PrefixCaching: true,
			BlockTokens: 16, KVBlocks: 500, MaxNumSeqs: 64, MaxNumBatchedTokens: 512,
		}},
		Policies: policy.RoutedBy(toFewest{}), Source: source,
	})
	for s.gateway.Arrived < warm {
		s.step()
	}
	requests := 0
	allocations := testing.AllocsPerRun(1, func() {
		for target := s.gateway.Arrived + measured/2 - 10; s.gateway.Arrived < target; requests++ {
			s.step()
		}
	})
	if perRequest := allocations / float64(requests/2); perRequest > 0.005 {
		t.Errorf("%v allocations in %d requests", allocations, requests/2)
	}
	t.Logf("%v allocations in %d requests, %d in flight", allocations, requests/2, s.gateway.InFlight)
}
