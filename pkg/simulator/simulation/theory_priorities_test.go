// SPDX-License-Identifier: Apache-2.0

package simulation_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// classes are requests at random of two classes: class 1 is the more important one. Each
// answer takes as many steps as it has tokens.
type classes struct {
	arrivals
	important *stats.Stream
	share     float64 // of class 1
}

func (c *classes) Labels() workload.Labels {
	return workload.Labels{Tenants: []string{"all"}, Classes: []string{"low", "high"}}
}

func (c *classes) Next() (workload.Request, bool) {
	r, ok := c.arrivals.Next()
	if c.important.Float64() < c.share {
		r.Class, r.Priority = 1, 1
	}
	return r, ok
}

// TestWaitsOfPriorities holds the mean waits of two classes at an engine that serves one
// request at a time, by priority and without preemption, against Cobham's formula: with
// λ·E[S²]/2 the work that an arrival finds in service, and ρ1 and ρ the loads of the
// important class and of both, the waits are that over 1 − ρ1 and over (1 − ρ1)(1 − ρ)
// (Cobham: Priority Assignment in Waiting Line Problems, 1954). The formula lies in the
// 99 % interval over replications. Reversed priorities swap the classes.
func TestWaitsOfPriorities(t *testing.T) {
	const steps, share = 20, 0.4
	constant := func(*stats.Stream) int { return steps }
	random := func(s *stats.Stream) int { return geometric(s, steps) }
	const squaredCV = 1 - 1.0/steps // of random service
	for _, tc := range []struct {
		name      string
		scheduler scheduling.Factory
		output    func(*stats.Stream) int
		squaredCV float64
		load      float64
		first     int // the class that is served first
		width     float64
	}{
		{"constant service, load 0.8", scheduling.Priority, constant, 0, 0.8, 1, 0.15},
		{"exponential service, load 0.5", scheduling.Priority, random, squaredCV, 0.5, 1, 0.15},
		{"exponential service, load 0.8", scheduling.Priority, random, squaredCV, 0.8, 1, 0.2},
		{"reversed, exponential service, load 0.8", scheduling.ReversePriority, random, squaredCV, 0.8, 0, 0.2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			waits := waitsByClass(t, tc.scheduler, steps, tc.load, share, tc.output)
			residual := tc.load * (1 + tc.squaredCV) / 2 // in services
			loads := [2]float64{(1 - share) * tc.load, share * tc.load}
			for class := range waits {
				want := residual / (1 - loads[tc.first])
				if class != tc.first {
					want /= 1 - tc.load
				}
				got := stats.MeanInterval(waits[class], 0.99)
				t.Logf("class %d: wait %.4f services, interval [%.4f, %.4f]", class, want, got.Low, got.High)
				if want < got.Low || want > got.High || got.High-got.Low > tc.width*want {
					t.Errorf("class %d: mean wait %.4f services, want it in [%.4f, %.4f], no wider than %v of it", class, want, got.Low, got.High, tc.width)
				}
			}
		})
	}
}

// waitsByClass is the mean wait of each class in each of some replications, in units of
// the mean service of so many steps.
func waitsByClass(t *testing.T, scheduler scheduling.Factory, steps, load, share float64, output func(*stats.Stream) int) [2][]float64 {
	t.Helper()
	const step, requests = time.Millisecond, 60_000
	service := steps * float64(step)
	var waits [2][]float64
	for seed := range int64(12) {
		o, err := simulation.Run(context.Background(), simulator.Config{
			Pools: []simulator.Pool{{
				Name: "server", Replicas: 1, Timer: timer(func(latency.Step) time.Duration { return step }),
				BlockTokens: 1 << 10, KVBlocks: 1 << 10, MaxNumSeqs: 1, MaxNumBatchedTokens: 1 << 20, Scheduler: scheduler,
			}},
			Policies: policy.RoutedBy(&inTurn{}),
			Source: &classes{
				arrivals:  arrivals{stream: stats.NewStream(seed, fmt.Sprint("arrivals", load)), gap: service / load, grid: 1, size: func(s *stats.Stream) (int, int) { return 1, output(s) }},
				important: stats.NewStream(seed, "important"), share: share,
			},
			Horizon: simulator.Horizon{Requests: requests, WarmUp: time.Duration(0.1 * service / load * requests), Drain: 1000 * time.Hour},
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range o.Cells {
			waits[o.Cells[i].Class] = append(waits[o.Cells[i].Class], o.Cells[i].Queueing.Mean()/service)
		}
	}
	return waits
}
