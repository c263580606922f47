// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"flag"
	"testing"

	"windtunnel.dev/windtunnel/pkg/bound"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// inOrderOfArrival makes replicas serve requests in order of arrival, and all of it count.
func inOrderOfArrival(_ *choices, c *simulator.Config) {
	c.Pools = c.Pools[:1]
	c.Pools[0].Scheduler, c.Pools[0].Cost, c.Pools[0].PrefixCaching = nil, latency.RequestCost{}, true
	c.Pools[0].InitialCacheHitRate = 0
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
func foundAndBound(t *testing.T, config simulator.Config) (found, most, unbounded int64) {
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

// Floors are those of mixedStep, whose parts are rounded down together.
func (m mixedStep) Floors() []latency.Floor {
	token, read := float64(m.token), float64(m.read)/16
	return []latency.Floor{{Step: float64(m.base) - float64(m.read), Token: token, Sample: token, Pair: read, Context: read}}
}

var everyBound = flag.Bool("bounds", false, "compare 100,000 clusters with the bound of the makespan, of which 447,000 are made; without it, 20,000")

// No cluster answers all requests before the bound says, whatever the router, the
// schedulers and preemptions do.
func TestNoClusterIsFasterThanTheBound(t *testing.T) {
	clusters, compared, reached := int64(0), 0, 0
	want := 20_000
	switch {
	case *everyBound:
		want = 100_000
	case testing.Short():
		want = 200
	}
	for seed := int64(0); compared < want; seed++ {
		clusters++
		// The router rejects some of more than a dozen requests.
		config := randomConfigWith(randomChoices(seed, 40, 150), func(_ *choices, c *simulator.Config) {
			c.Pools = c.Pools[:1]
			c.Horizon = simulator.Horizon{Drain: 1 << 60}
			c.Pools[0].MaxModelLen, c.Pools[0].InitialCacheHitRate = 0, 0
		})
		config.CheckInvariants = false
		pool := config.Pools[0]
		reuse := bound.NewReuse(pool.BlockTokens)
		var demands []bound.Demand
		for _, r := range config.Source.(*script).requests {
			d := bound.Demand{Arrival: r.Arrival, PromptTokens: r.Prompt.Tokens(), OutputTokens: max(r.OutputTokens, 1)}
			answer := prompt.Extent{Source: r.Response, Start: r.ResponseStart, Tokens: int32(d.OutputTokens)}
			reuse.Add(r.Prompt, answer, int32(r.Adapter), true)
			demands = append(demands, d)
		}
		for i := range demands {
			demands[i].ComputedTokens = demands[i].PromptTokens - reuse.Found(i)
		}
		o, err := Run(context.Background(), config)
		if err != nil {
			t.Fatal(err)
		}
		var completed int64
		for i := range o.Cells {
			completed += o.Cells[i].Completed
		}
		if completed < int64(len(demands)) || completed == 0 {
			if clusters > 10*int64(want) {
				t.Fatalf("too few clusters are compared: %d of %d", compared, clusters)
			}
			continue // some were rejected
		}
		end := bound.Makespan(demands, bound.Engines{
			Replicas: pool.Replicas, MaxNumSeqs: pool.MaxNumSeqs, MaxNumBatchedTokens: pool.MaxNumBatchedTokens, Floors: pool.Timer.(latency.Floored).Floors(),
		})
		if o.End < end {
			t.Fatalf("scenario %d: all %d requests have ended at %v, the bound is %v", seed, completed, o.End, end)
		}
		compared++
		if float64(o.End) < 1.1*float64(end) {
			reached++
		}
	}
	t.Logf("%d of %d clusters answer all requests, %d of them within 10 %% of the bound", compared, clusters, reached)
}
