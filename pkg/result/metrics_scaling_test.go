// SPDX-License-Identifier: Apache-2.0

package result

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// Two pools over 100 s: of the first, one replica is there all the time, and another one
// from second 20 to 60, of which it starts for 10; the second pool, which nobody scales, has
// one replica.
func TestScalingOfAnOutcome(t *testing.T) {
	at := func(seconds int) simtime.Time { return simtime.Time(seconds) * simtime.Time(time.Second) }
	stages := func(of map[autoscaling.Stage]time.Duration) (all [autoscaling.Stages]time.Duration) {
		for s, d := range of {
			all[s] = d
		}
		return all
	}
	o := &simulator.Result{
		Pools: []string{"scaled", "other"}, End: at(100),
		Replicas: []simulator.ReplicaUse{
			{Lifetimes: []simulator.Lifetime{{To: at(100)}}, Stages: stages(map[autoscaling.Stage]time.Duration{autoscaling.Serving: 100 * time.Second})},
			{Lifetimes: []simulator.Lifetime{{From: at(20), To: at(60)}}, Stages: stages(map[autoscaling.Stage]time.Duration{
				autoscaling.Loading: 10 * time.Second, autoscaling.Warming: 5 * time.Second, autoscaling.Serving: 20 * time.Second, autoscaling.Draining: 5 * time.Second,
			})},
			{}, // a place that never had a replica
			{Pool: 1, Lifetimes: []simulator.Lifetime{{To: at(100)}}},
		},
		Units: []simulator.UnitUse{{Pools: []int{0}, Ups: 1, Downs: 2, Reversals: 1, Lost: 3, FailedStarts: 4, LongestMiss: 30 * time.Second}},
	}
	in := newSelection(o, &Meta{}, Selector{})
	want := &Scaling{Mean: 1.4, Peak: 2, Serving: 1.25, Events: 3, Reversals: 1, Lost: 3, FailedStarts: 4, LongestMiss: 30, hours: 100. / 3600}
	if diff := cmp.Diff(want, in.scaling(), cmp.AllowUnexported(Scaling{})); diff != "" {
		t.Errorf("scaling (−want +got):\n%s", diff)
	}
	if r := in.replicas(); r.Count != 3 || r.Availability != nil {
		t.Errorf("%d replicas, available %v: places without a replica count", r.Count, r.Availability)
	}
	if got := newSelection(o, &Meta{}, Selector{Pool: "other"}).scaling(); got != nil {
		t.Errorf("a pool that nobody scales has %+v", got)
	}
}
