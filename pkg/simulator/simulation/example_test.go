// SPDX-License-Identifier: Apache-2.0

package simulation_test

import (
	"context"
	"fmt"
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// inTurn is a router that sends requests to the endpoints in turn.
type inTurn struct{ next int }

func (r *inTurn) Route(v *policy.View, _ *policy.Request) (policy.Route, error) {
	endpoint := r.next % len(v.Scrapes)
	r.next++
	return policy.To(endpoint), nil
}

func ExampleRun() {
	outcome, err := simulation.Run(context.Background(), simulator.Config{
		Pools: []simulator.Pool{{
			Name: "llama", Replicas: 2,
			Timer:       latency.Linear{BaseMicroseconds: 7000, PerPrefillTokenMicroseconds: 17, PerDecodeTokenMicroseconds: 3},
			BlockTokens: 16, KVBlocks: 10_000, PrefixCaching: true,
			MaxNumSeqs: 256, MaxNumBatchedTokens: 2048,
		}},
		Policies: policy.RoutedBy(&inTurn{}),
		Source: workload.NewClients([]workload.Client{{
			Name:     "chat",
			Arrivals: workload.Arrivals{Process: workload.Constant, RatePerSecond: 10},
			Input:    workload.Lengths{Distribution: stats.Constant{Value: 100}, Min: 1},
			Output:   workload.Lengths{Distribution: stats.Constant{Value: 5}, Min: 1},
		}}, 42),
		Horizon: simulator.Horizon{Requests: 20, Drain: time.Minute},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	cell := &outcome.Cells[0]
	fmt.Println("completed:", cell.Completed, "of", cell.Arrived)
	fmt.Println("median TTFT:", time.Duration(cell.TTFT.Quantile(0.5)))
	fmt.Println("longest gap:", time.Duration(cell.ITL.Max()))
	// Output:
	// completed: 20 of 20
	// median TTFT: 8.7ms
	// longest gap: 7.003ms
}
