// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// firstPrefill has the first replicas compute all prompts, and the others decode.
type firstPrefill struct{ prefill, turn int }

func (r *firstPrefill) Route(v *policy.View, _ *policy.Request) (policy.Route, error) {
	r.turn++
	decode := len(v.Scrapes) - r.prefill
	return policy.Route{Endpoint: r.prefill + r.turn%decode, Prefill: r.turn % r.prefill}, nil
}

// randomApart is a random cluster of two pools that hands everything over.
func randomApart(data []byte, single bool) simulator.Config {
	c := choices(data)
	config := randomConfigWith(data, randomHandoffs)
	pool := config.Pools[0]
	pool.PrefixCaching, pool.Stability, pool.MaxModelLen = true, nil, 0
	prefill, decode := pool, pool
	prefill.Name, decode.Name = "prefill", "decode"
	prefill.MaxNumSeqs = 1 // or two compute a block side by side, and there are copies
	prefill.Replicas, decode.Replicas = 1+c.pick(2), 1+c.pick(2)
	config.Pools = []simulator.Pool{prefill, decode}
	config.Policies = policy.RoutedBy(&firstPrefill{prefill: prefill.Replicas})
	config.Handoff.SingleOwner = single
	config.Handoff.StartShare = 0 // who is done before all has come does not take the rest
	config.Horizon = simulator.Horizon{Drain: time.Hour}
	config.CheckInvariants = true
	return config
}

// checkOwnership runs a cluster to its end, where nobody refers to a block of the
// replicas that compute prompts any more, and returns how many blocks were handed
// over and how many are still cached there.
func checkOwnership(t *testing.T, data []byte, single bool) (handed, cached int) {
	t.Helper()
	config := randomApart(data, single)
	s := newSimulation(context.Background(), config)
	o, err := s.run()
	if err != nil {
		t.Fatal(err)
	}
	completed := 0
	for _, c := range o.Cells {
		handed += int(c.Handoffs)
		completed += int(c.Completed)
		if c.Unfinished > 0 {
			t.Errorf("%d requests never end", c.Unfinished)
		}
	}
	for i := range config.Pools[0].Replicas {
		cache := s.cluster.Replicas[i].Cache
		if cache.Used() > 0 {
			t.Errorf("replica %d still holds %d blocks", i, cache.Used())
		}
		cached += cache.Free() - cache.Blank()
	}
	if handed < completed {
		// Some were not handed over, for want of room: their blocks are nobody else's.
		cached = 0
	}
	return handed, cached
}

// TestOwnershipOfWhatIsHandedOver: the copy of a prompt stays cached where it was
// computed; with a single owner it goes when it has been transferred. There the
// only blocks left are copies of those that another prompt had to compute
// again, its last ones, and that were needed to find what follows them.
func TestOwnershipOfWhatIsHandedOver(t *testing.T) {
	left := map[bool]int{}
	for _, single := range []bool{false, true} {
		for seed := range int64(300) {
			_, cached := checkOwnership(t, randomBytes(seed), single)
			left[single] += cached
			if t.Failed() {
				t.Fatalf("single owner: %v, cluster %d", single, seed)
			}
		}
	}
	if left[false] < 1000 || 200*left[true] > left[false] {
		t.Errorf("%d blocks are cached where they were computed, %d with a single owner", left[false], left[true])
	}
	t.Logf("%d blocks are cached where they were computed, %d with a single owner", left[false], left[true])
}

func FuzzOwnership(f *testing.F) {
	for seed := range int64(10) {
		f.Add(randomBytes(seed), seed%2 == 0)
	}
	f.Fuzz(func(t *testing.T, data []byte, single bool) {
		if len(data) < 2000 {
			checkOwnership(t, data, single)
		}
	})
}
