// SPDX-License-Identifier: Apache-2.0

package hpa_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// queue returns a spec of one external metric: 10 waiting requests for each replica.
func queue(b *hpa.Behavior) hpa.Spec {
	return hpa.Spec{Min: 2, Max: 20, Behavior: b, Metrics: []hpa.Metric{
		{Source: hpa.External, Target: hpa.Target{Type: hpa.AverageValue, Value: 10_000}},
	}}
}

// TestSyncs has the counts after syncs of 15 s by the length of the queue.
func TestSyncs(t *testing.T) {
	window := 30 * time.Second
	slowly := &hpa.Rules{Window: &window, Policies: []hpa.Policy{{Type: hpa.PodsPolicy, Value: 1, Period: 30 * time.Second}}}
	for name, c := range map[string]struct {
		behavior *hpa.Behavior
		waiting  []int64
		want     []string
	}{
		"a short peak stays for the downscale window": {
			waiting: []int64{20, 60, 20, 20},
			want:    []string{"2 ReadyForNewScale DesiredWithinRange", "4 SucceededRescale ScaleUpLimit", "6 SucceededRescale DesiredWithinRange", "6 ScaleDownStabilized DesiredWithinRange"},
		},
		"no more than max and no fewer than min": {
			behavior: &hpa.Behavior{ScaleDown: &hpa.Rules{Window: new(time.Duration)}},
			waiting:  []int64{300, 300, 300, 300, 0},
			want:     []string{"6 SucceededRescale ScaleUpLimit", "12 SucceededRescale ScaleUpLimit", "20 SucceededRescale TooManyReplicas", "20 ReadyForNewScale TooManyReplicas", "2 SucceededRescale TooFewReplicas"},
		},
		"a ratio within the tolerance changes nothing": {
			waiting: []int64{22, 18, 23},
			want:    []string{"2 ReadyForNewScale DesiredWithinRange", "2 ReadyForNewScale DesiredWithinRange", "3 SucceededRescale DesiredWithinRange"},
		},
		"scaling up waits until the whole window wants it": {
			behavior: &hpa.Behavior{ScaleUp: slowly},
			waiting:  []int64{60, 60, 60, 60, 60},
			want:     []string{"2 ScaleUpStabilized DesiredWithinRange", "2 ScaleUpStabilized DesiredWithinRange", "3 SucceededRescale ScaleUpLimit", "3 ReadyForNewScale ScaleUpLimit", "4 SucceededRescale ScaleUpLimit"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := hpa.New(queue(c.behavior), hpa.DefaultOptions())
			var got []string
			for i, waiting := range c.waiting {
				var d hpa.SyncResult
				size := int32(2)
				if i > 0 {
					fmt.Sscan(got[i-1], &size)
				}
				d = a.Sync(simtime.Time(i)*15e9, hpa.Scale{Spec: size, Status: size}, []hpa.Observation{{Values: []int64{waiting * 1000}}})
				got = append(got, fmt.Sprint(d.Replicas, " ", d.Able, " ", d.Limited))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("decisions (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSyncsWithoutMetrics(t *testing.T) {
	for name, c := range map[string]struct {
		size int32
		seen hpa.Observation
		want hpa.SyncResult
	}{
		"a target of 0 replicas is left alone": {
			size: 0, want: hpa.SyncResult{Chosen: -1, Able: hpa.SucceededGetScale, Active: hpa.ScalingDisabled},
		},
		"a target above max comes down at once": {
			size: 30, want: hpa.SyncResult{Replicas: 20, Rescale: true, Chosen: -1, Able: hpa.SucceededRescale},
		},
		"a target below min comes up at once": {
			size: 1, want: hpa.SyncResult{Replicas: 2, Rescale: true, Chosen: -1, Able: hpa.SucceededRescale},
		},
		"a metric that fails changes nothing": {
			size: 5, seen: hpa.Observation{Failed: true},
			want: hpa.SyncResult{
				Replicas: 5, Chosen: -1, Able: hpa.SucceededGetScale, Active: hpa.FailedGetExternalMetric,
				Proposals: []hpa.Proposal{{Failed: hpa.FailedGetExternalMetric}},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := hpa.New(queue(nil), hpa.DefaultOptions()).Sync(0, hpa.Scale{Spec: c.size, Status: c.size}, []hpa.Observation{c.seen})
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
		})
	}
}

// syncForever returns a function that makes one more sync of a target whose load changes all the time.
func syncForever() func() {
	a := hpa.New(queue(&hpa.Behavior{ScaleDown: &hpa.Rules{Window: new(time.Duration)}}), hpa.DefaultOptions())
	observed := []hpa.Observation{{Values: make([]int64, 1)}}
	scale := hpa.Scale{Spec: 2, Status: 2}
	now := simtime.Time(0)
	return func() {
		observed[0].Values[0] = int64(now/15e9) % 7 * 30_000
		scale.Spec = a.Sync(now, scale, observed).Replicas
		scale.Status = scale.Spec
		now += 15e9
	}
}

func TestASyncDoesNotAllocate(t *testing.T) {
	sync := syncForever()
	for range 100 {
		sync()
	}
	if allocations := testing.AllocsPerRun(1000, sync); allocations != 0 {
		t.Errorf("%v allocations for a sync, want none", allocations)
	}
}

func BenchmarkSync(b *testing.B) {
	sync := syncForever()
	b.ReportAllocs()
	for b.Loop() {
		sync()
	}
}
