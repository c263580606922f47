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

// impatient sends everything to endpoint 0, and once all have come ends them one
// after the other.
type impatient struct {
	requests, ends int
	routed, ended  int
}

func (p *impatient) Route(*policy.View, *policy.Request) (policy.Route, error) {
	p.routed++
	return policy.To(0), nil
}

func (p *impatient) Wake(simtime.Time) (simtime.Time, bool) { return 0, false }
func (*impatient) Queues(*policy.Request) bool              { return true }

func (p *impatient) Cancel(simtime.Time, *policy.Request) {}

func (p *impatient) Release(*policy.View) (policy.Released, bool) { return policy.Released{}, false }

func (p *impatient) Evict(simtime.Time) (int, bool) {
	if p.routed < p.requests || p.ended == p.ends {
		return 0, false
	}
	p.ended++
	// Not in order of arrival.
	return (p.ended * 7919) % p.requests, true
}

// BenchmarkEnds ends 20,000 requests while they are on their way to the wait queue,
// wait in it or run, and compares with the run in which all are served.
func BenchmarkEnds(b *testing.B) {
	const requests = 20_000
	for name, tc := range map[string]struct {
		ends  int
		delay time.Duration
		by    scheduling.Factory
	}{
		"none":                    {0, 0, scheduling.FCFS},
		"waiting":                 {requests, 0, scheduling.FCFS},
		"waiting by rank":         {requests, 0, scheduling.Priority},
		"on the way to the queue": {requests, time.Hour, scheduling.FCFS},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				source := &script{}
				for id := range requests {
					source.requests = append(source.requests, workload.Request{
						ID: id, Arrival: simtime.Time(id), OutputTokens: 4,
						Prompt: prompt.Prompt{}.Append(prompt.Extent{Source: uint64(id), Tokens: 64}),
					})
				}
				router := &impatient{requests: requests, ends: tc.ends}
				pool := simulator.Pool{
					Replicas: 1, Timer: constantStep(time.Millisecond), BlockTokens: 16, KVBlocks: 10_000, PrefixCaching: true,
					MaxNumSeqs: 256, MaxNumBatchedTokens: 8192, Scheduler: tc.by,
				}
				pool.Cost.QueueBase = tc.delay
				_, err := Run(context.Background(), simulator.Config{
					Pools: []simulator.Pool{pool}, Source: source, Horizon: simulator.Horizon{Drain: 100 * time.Hour},
					Policies: policy.Policies{Routing: policy.Routing{Router: router, Queue: router, Evictor: router}},
				})
				if err != nil {
					b.Fatal(err)
				}
				if router.ended != tc.ends {
					b.Fatalf("%d requests are ended, want %d", router.ended, tc.ends)
				}
			}
		})
	}
}
