// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// BenchmarkSchedulers serves 20,000 requests of 4 tenants that are all in the queue of one
// replica, with each scheduler and with the metrics of the queue.
func BenchmarkSchedulers(b *testing.B) {
	const requests = 20_000
	run := func(name string, factory scheduling.Factory, watch bool) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				source := &script{labels: workload.Labels{Tenants: []string{"a", "b", "c", "d"}, Classes: []string{"all"}}}
				for id := range requests {
					source.requests = append(source.requests, workload.Request{
						ID: id, Arrival: simtime.Time(id), OutputTokens: 1 + id*7919%60, Tenant: id % 4, Priority: id % 3,
						Prompt: prompt.Prompt{}.Append(prompt.Extent{Source: uint64(id), Tokens: int32(16 + id*104729%300)}),
					})
				}
				_, err := Run(context.Background(), simulator.Config{
					Pools: []simulator.Pool{{
						Replicas: 1, Timer: constantStep(time.Millisecond), BlockTokens: 16, KVBlocks: 2000, PrefixCaching: true,
						MaxNumSeqs: 256, MaxNumBatchedTokens: 8192, ReserveFullPrompt: true, Scheduler: factory, WatchQueue: watch,
					}},
					Source: source, Horizon: simulator.Horizon{Drain: 100 * time.Hour}, Targets: []simulator.Target{{TTFT: time.Second}},
					Policies: policy.RoutedBy(toFewest{}),
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	for _, p := range scheduling.Policies() {
		config, errs := scheduling.Load(scheduling.Spec{Scheduler: p.Name}, nil)
		if len(errs) > 0 {
			b.Fatal(errs)
		}
		run(p.Name, config.Factory(scheduling.Environment{Tenants: []string{"a", "b", "c", "d"}}), false)
	}
	run("watched", scheduling.FCFS, true)
}
