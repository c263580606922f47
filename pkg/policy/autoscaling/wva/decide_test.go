// SPDX-License-Identifier: Apache-2.0

package wva

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// usual are the values of the ConfigMap that the project ships.
var usual = Config{KVCacheThreshold: 0.8, QueueLengthThreshold: 5, KVSpareTrigger: 0.1, QueueSpareTrigger: 3}

func TestDecide(t *testing.T) {
	idle, busy, full := Replica{0.1, 0}, Replica{0.5, 1}, Replica{0.5, 9}
	for name, tc := range map[string]struct {
		replicas []Replica
		state    State
		verdict  Reason
		target   int
	}{
		"no replica has metrics":                            {nil, State{Current: 2}, Unmeasured, 2},
		"a queue on the only replica":                       {[]Replica{{0.1, 3}}, State{Current: 1}, ScaleUp, 2},
		"a full KV cache on the only replica":               {[]Replica{{0.75, 0}}, State{Current: 1}, ScaleUp, 2},
		"all replicas are saturated":                        {[]Replica{full, full}, State{Current: 2}, ScaleUp, 3},
		"saturated replicas do not count beside a free one": {[]Replica{full, full, idle}, State{Current: 3}, Steady, 3},
		"two free replicas outvote a saturated one":         {[]Replica{full, idle, idle}, State{Current: 3}, ScaleDown, 2},
		"room at the trigger is enough":                     {[]Replica{{0.1, 2}}, State{Current: 1}, Steady, 1},
		"the last replica stays":                            {[]Replica{idle}, State{Current: 1}, Steady, 1},
		"one fewer would have too little":                   {[]Replica{busy, {0.5, 2}}, State{Current: 2}, Steady, 2},
		"a pod has no metrics yet":                          {[]Replica{full, full}, State{Current: 3, Desired: 3, Pending: 1}, InTransition, 3},
		"a pod that terminates has metrics":                 {[]Replica{idle, idle, idle}, State{Current: 2, Desired: 2}, InTransition, 2},
		"the autoscaler has not followed":                   {[]Replica{full, full}, State{Current: 2, Desired: 1}, InTransition, 1},
		"a pod that is not ready has metrics":               {[]Replica{full, full}, State{Current: 2, Pending: 1}, Steady, 2},
	} {
		t.Run(name, func(t *testing.T) {
			got := usual.Decide(tc.replicas, tc.state)
			if got.Reason != tc.verdict || got.Target != tc.target {
				t.Errorf("%s to %d, want %s to %d: %+v", got.Reason, got.Target, tc.verdict, tc.target, got)
			}
		})
	}
}

func TestRoom(t *testing.T) {
	got := usual.Decide([]Replica{{0.25, 1}, {0.75, 2}, {0.9, 0}}, State{Current: 3})
	want := Analysis{Measured: 3, Free: 2, SpareKV: 0.8 - 0.5, SpareQueue: 3.5, Reason: Steady, Target: 3}
	got.SpareKV = float64(int(got.SpareKV*1000+0.5)) / 1000
	want.SpareKV = 0.3
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("decision (−want +got):\n%s", diff)
	}
}
