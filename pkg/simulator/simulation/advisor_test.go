// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/kv/stability"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

func TestABrokenStabilityConfigPanics(t *testing.T) {
	for name, tc := range map[string]struct {
		stability simulator.Stability
		want      string
	}{
		"no window":    {simulator.Stability{}, "window"},
		"unknown form": {simulator.Stability{Form: "fluid", Config: stability.DefaultConfig()}, `unknown stability controller "fluid"`},
	} {
		t.Run(name, func(t *testing.T) {
			c := smallConfig()
			c.Pools[0].Stability = &tc.stability
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, `pool "pool"`) || !strings.Contains(got, tc.want) {
					t.Errorf("panic %q, want one with %q", got, tc.want)
				}
			}()
			_, _ = Run(context.Background(), c)
		})
	}
}

// TestWatchingChangesNothing: a controller that neither evicts nor has a say at
// admission only knows more in the end, whatever its form.
func TestWatchingChangesNothing(t *testing.T) {
	run := func(watch *simulator.Stability) *simulator.Result {
		pool := llamaPool(t, 3)
		pool.KVBlocks, pool.Stability = 1500, watch
		o, err := Run(context.Background(), simulator.Config{
			Pools: []simulator.Pool{pool}, Policies: policy.Policies{Routing: (&leastWaiting{}).routing()},
			Source:  workload.NewClients(referenceClients(75), 1),
			Horizon: simulator.Horizon{Requests: 2000, WarmUp: time.Second, Drain: time.Hour},
		})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	want := run(nil)
	for _, form := range stability.Forms() {
		got := run(&simulator.Stability{Form: form, Config: stability.DefaultConfig()})
		for i := range got.Replicas {
			if s := got.Replicas[i].Stability; s == nil || s.Insufficient || s.ArrivalsPerSecond <= 0 {
				t.Errorf("%s: replica %d knows %+v", form, i, s)
			}
			got.Replicas[i].Stability = nil
		}
		if diff := difference(want, got); diff != "" {
			t.Errorf("%s (-unwatched +watched):\n%s", form, diff)
		}
	}
}
