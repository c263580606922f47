// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"context"
	"testing"

	"windtunnel.dev/windtunnel/pkg/bound"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/prompt"
)

// inOrderOfArrival makes replicas serve requests in order of arrival, and all of it count.
func inOrderOfArrival(_ *choices, c *Config) {
	c.Pools = c.Pools[:1]
	c.Pools[0].Scheduler, c.Pools[0].Cost, c.Pools[0].PrefixCaching = nil, latency.RequestCost{}, true
	c.Horizon.WarmUp = 0
}

// No cluster finds more in its caches than the bound says, whatever the router does.
func TestNoClusterFindsMoreThanTheBound(t *testing.T) {
	for name, tc := range map[string]struct {
		with     []feature
		clusters int64
	}{
		"caches in GPU memory": {[]feature{inOrderOfArrival}, 100_000},
		"with tiers below":     {[]feature{randomTiers, inOrderOfArrival}, 20_000},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() {
				tc.clusters = 1000
			}
			reached := 0
			for seed := range tc.clusters {
				found, most, unbounded := foundAndBound(t, randomConfigWith(randomBytes(seed), tc.with...))
				if found > most || most > unbounded {
					t.Fatalf("scenario %d: %d tokens are found, the bound is %d, and %d without a limit", seed, found, most, unbounded)
				}
				if found == most && found > 0 {
					reached++
				}
			}
			t.Logf("%d of %d clusters find as much as the bound", reached, tc.clusters)
		})
	}
}

// foundAndBound runs a cluster and returns how many prompt tokens its caches give, and the
// bounds for caches of their size and without a limit.
func foundAndBound(t *testing.T, config Config) (found, most, unbounded int64) {
	t.Helper()
	pool := &config.Pools[0]
	reuse := bound.NewReuse(pool.BlockTokens)
	for _, r := range config.Source.(*script).requests {
		reuse.Add(r.Prompt, prompt.Extent{Source: r.Response, Start: r.ResponseStart, Tokens: int32(max(r.OutputTokens, 1))}, int32(r.Adapter), true)
	}
	blocks := pool.Replicas * pool.KVBlocks
	for _, tier := range pool.Tiers.Lower {
		if tier.Shared {
			blocks += tier.Blocks
		} else {
			blocks += pool.Replicas * tier.Blocks
		}
	}
	config.CheckInvariants = false
	o, err := Run(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	for i := range o.Cells {
		c := &o.Cells[i]
		found += c.CachedTokens
		for _, tokens := range c.TierTokens {
			found += tokens
		}
	}
	return found, reuse.Clairvoyant(blocks), reuse.Unbounded()
}
