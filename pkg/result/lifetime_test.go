// SPDX-License-Identifier: Apache-2.0

package result

import (
	"context"
	"math"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// first routes to endpoint 0.
type first struct{}

func (first) Route(*policy.View, *policy.Request) (policy.Route, error) { return policy.To(0), nil }

// TestHoursAndCostAreSumsOverLifetimes: three replicas for 10 minutes, by hand.
//
//	replica 0 is there for 600 s
//	replica 1 fails at 1 s:                     1 s
//	replica 2 fails at 60 s, recovers at 540 s: 60 s + 60 s
//	replica 3 comes at 300 s:                   300 s
//
// Together 1,021 s, which at 3.60 an hour cost 1.021. Of 4 × 600 s they are
// 42.54 %.
func TestHoursAndCostAreSumsOverLifetimes(t *testing.T) {
	second := func(n int) simtime.Time { return simtime.Time(n) * simtime.Time(time.Second) }
	o, err := simulation.Run(context.Background(), simulator.Config{
		Pools: []simulator.Pool{{
			Name: "p", Replicas: 3, MaxReplicas: 4, Timer: latency.Linear{BaseMicroseconds: 5000},
			BlockTokens: 16, KVBlocks: 200, MaxNumSeqs: 16, MaxNumBatchedTokens: 512,
		}},
		Policies: policy.RoutedBy(first{}),
		Source: workload.NewClients([]workload.Client{{
			Name: "c", Arrivals: workload.Arrivals{Process: workload.Poisson, RatePerSecond: 1},
			Input:  workload.Lengths{Distribution: stats.Exponential{Mean: 20}, Min: 1},
			Output: workload.Lengths{Distribution: stats.Exponential{Mean: 4}, Min: 1},
		}}, 1),
		Horizon: simulator.Horizon{Duration: 10 * time.Minute},
		Disruptions: []simulator.Disruption{
			{At: second(1), Endpoint: 1, Kind: simulator.Fail},
			{At: second(60), Endpoint: 2, Kind: simulator.Fail},
			{At: second(300), Endpoint: 3, Kind: simulator.Recover},
			{At: second(540), Endpoint: 2, Kind: simulator.Recover},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if o.End != second(600) {
		t.Fatalf("the run ends at %v", o.End)
	}
	price := 3.6
	r := NewDocument(o, Meta{CostPerReplicaHour: []*float64{&price}}).Overall.Replicas
	if want := 1021.0 / 3600; math.Abs(r.Hours-want) > 1e-12 {
		t.Errorf("%v replica-hours, want %v", r.Hours, want)
	}
	if r.Cost == nil || math.Abs(*r.Cost-1.021) > 1e-12 {
		t.Errorf("cost %v, want 1.021", r.Cost)
	}
	if r.Availability == nil || math.Abs(*r.Availability-1021.0/2400) > 1e-12 {
		t.Errorf("availability %v, want %v", r.Availability, 1021.0/2400)
	}
	if busy := time.Duration(float64(600*time.Second) * r.Utilization.Max); busy != o.Replicas[0].Busy {
		t.Errorf("replica 0 is busy for %v of 10 minutes, want %v", busy, o.Replicas[0].Busy)
	}
}

// Replicas of two ranks: the second replica is there for 60 of 600 s, as whichever of its
// ranks, 2 and 3, failed says. So there are 600 + 60 seconds of replicas, and 1200 at most.
func TestHoursOfRanks(t *testing.T) {
	second := func(s int) simtime.Time { return simtime.Time(s) * simtime.Time(time.Second) }
	lives := func(to int) []simulator.Lifetime { return []simulator.Lifetime{{To: second(to)}} }
	o := &simulator.Result{
		Labels: workload.Labels{Tenants: []string{"t"}, Classes: []string{"c"}},
		Pools:  []string{"p"}, End: second(600),
		Replicas: []simulator.ReplicaUse{{Lifetimes: lives(600)}, {Lifetimes: lives(600)}, {Lifetimes: lives(60)}, {Lifetimes: lives(60)}},
	}
	price := 3.6
	r := NewDocument(o, Meta{
		CostPerReplicaHour: []*float64{&price},
		Provenance:         Provenance{Pools: []PoolProvenance{{Name: "p", DataParallelism: 2}}},
	}).Overall.Replicas
	if math.Abs(r.Hours-660./3600) > 1e-12 || math.Abs(*r.Cost-.660) > 1e-12 {
		t.Errorf("%v replica-hours that cost %v, want %v and 0.66", r.Hours, *r.Cost, 660./3600)
	}
	if math.Abs(*r.Availability-660./1200) > 1e-12 {
		t.Errorf("availability %v, want %v", *r.Availability, 660./1200)
	}
}
