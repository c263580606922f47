// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// No tier policy serves fewer tokens from caches than no tier does: a copy takes nothing
// from the cache in GPU memory. Where requests follow each other, the cache has the same
// content with a tier as without one, whatever a link or a tier takes, so that the tokens
// of a tier come on top. Scenarios have small seeds, caches and tiers from one block on,
// and links from slow to fast.
func TestNoTierPolicyServesFewerHits(t *testing.T) {
	more := map[simulator.OffloadPolicy]int{}
	for seed := range int64(400) {
		for _, policy := range []simulator.OffloadPolicy{simulator.OffloadEager, simulator.OffloadLazy, simulator.OffloadThreshold} {
			config := func() simulator.Config { return tierScenario(seed, 100*time.Microsecond) }
			with, without := config(), config()
			with.Pools[0].Tiers.Offload.Policy = policy
			without.Pools[0].Tiers = simulator.Tiers{}
			got, least := hits(t, with), hits(t, without)
			if got < least {
				t.Errorf("seed %d, policy %d: %d tokens from caches, and %d without a tier", seed, policy, got, least)
			}
			if got > least {
				more[policy]++
			}
		}
	}
	for policy, n := range more {
		if n < 100 {
			t.Errorf("policy %d serves more than no tier in %d scenarios", policy, n)
		}
	}
}

// Where requests overlap, a step or a load that waits for a copy moves what follows, and
// which prompts meet in the cache; an Eager copy holds the blocks of a request that has
// ended. So a scenario may have fewer hits with a tier, but all together have more.
func TestTierPoliciesServeMoreHitsUnderLoad(t *testing.T) {
	for _, policy := range []simulator.OffloadPolicy{simulator.OffloadEager, simulator.OffloadLazy, simulator.OffloadThreshold} {
		var got, least int64
		for seed := range int64(200) {
			with, without := tierScenario(seed, 30), tierScenario(seed, 30)
			with.Pools[0].Tiers.Offload.Policy = policy
			without.Pools[0].Tiers = simulator.Tiers{}
			got, least = got+hits(t, with), least+hits(t, without)
		}
		if got < least+least/10 {
			t.Errorf("policy %d: %d tokens from caches, and %d without a tier", policy, got, least)
		}
	}
}

// A storage tier with room for all blocks, below a CPU tier of any size, serves no fewer
// tokens than the CPU tier alone and than the storage tier alone: what the CPU tier has no
// room for goes straight to storage. Requests follow each other.
func TestALargeStorageTierServesNoFewerHits(t *testing.T) {
	for seed := range int64(300) {
		for _, policy := range []simulator.OffloadPolicy{simulator.OffloadEager, simulator.OffloadLazy, simulator.OffloadThreshold} {
			served := func(kinds ...simulator.TierKind) int64 {
				c := tierScenario(seed, 100*time.Microsecond)
				first := c.Pools[0].Tiers.Lower[0]
				c.Pools[0].Tiers.Offload.Policy, c.Pools[0].Tiers.Lower = policy, nil
				for _, kind := range kinds {
					tier := first
					tier.Kind, tier.Blocks = kind, map[simulator.TierKind]int{simulator.CPUTier: 1 + int(seed%8), simulator.StorageTier: 1 << 20}[kind]
					c.Pools[0].Tiers.Lower = append(c.Pools[0].Tiers.Lower, tier)
				}
				return hits(t, c)
			}
			both, cpu, storage := served(simulator.CPUTier, simulator.StorageTier), served(simulator.CPUTier), served(simulator.StorageTier)
			if both < cpu || both < storage {
				t.Errorf("seed %d, policy %d: %d tokens from caches, %d with the CPU tier alone and %d with storage alone", seed, policy, both, cpu, storage)
			}
		}
	}
}

// By hand: ten blocks of four tokens are the prompt A, then B, then A again, with room for
// twelve blocks in GPU memory and for one or four in the CPU tier. B pushes A out of GPU
// memory, and A out of the CPU tier but for at most four blocks. The storage tier has room
// for all, so that the second A is computed from its last token on: 39 tokens before it have
// nine whole blocks, 36 tokens. No other request finds anything.
func TestASmallCPUTierKeepsNothingFromStorage(t *testing.T) {
	policies := policy.RoutedBy(toFewest{})
	station := transfer.Station{BytesPerSecond: int64(time.Second)}
	for _, policy := range []simulator.OffloadPolicy{simulator.OffloadEager, simulator.OffloadLazy, simulator.OffloadThreshold} {
		for _, blocks := range []int{1, 4} {
			c := simulator.Config{Policies: policies, Horizon: simulator.Horizon{Drain: time.Hour}, CheckInvariants: true, Pools: []simulator.Pool{{
				Replicas: 1, Timer: recordedStep{}, BlockTokens: 4, KVBlocks: 12, PrefixCaching: true, BlockBytes: 1,
				MaxNumSeqs: 1, MaxNumBatchedTokens: 100,
				Tiers: simulator.Tiers{ToHost: station, ToGPU: station, Offload: simulator.Offload{Policy: policy, Threshold: 0.5}, Lower: []simulator.Tier{
					{Kind: simulator.CPUTier, Blocks: blocks, Read: station, Write: station},
					{Kind: simulator.StorageTier, Blocks: 100, Read: station, Write: station},
				}},
			}}}
			source := &script{}
			for id, text := range []uint64{1, 2, 1} {
				source.requests = append(source.requests, workload.Request{
					ID: id, Arrival: simtime.Time(id) * simtime.Time(time.Second), OutputTokens: 1, Response: uint64(10 + id),
					Prompt: prompt.Prompt{}.Append(prompt.Extent{Source: text, Tokens: 40}),
				})
			}
			c.Source = source
			if got := hits(t, c); got != 36 {
				t.Errorf("policy %d, %d blocks in the CPU tier: %d tokens from caches, by hand 36", policy, blocks, got)
			}
		}
	}
}

// tierScenario has a replica with random tiers, and requests that arrive a time apart.
func tierScenario(seed int64, apart time.Duration) simulator.Config {
	c := choices(randomChoices(seed, 200, 500))
	p := randomPool(&c)
	p.Replicas, p.PrefixCaching, p.MaxModelLen, p.Stability, p.Scheduler = 1, true, 0, nil, nil
	config := simulator.Config{Pools: []simulator.Pool{p}, Policies: policy.RoutedBy(toFewest{}), Horizon: simulator.Horizon{Drain: time.Hour}, CheckInvariants: true}
	for len(config.Pools[0].Tiers.Lower) == 0 {
		randomTiers(&c, &config)
	}
	config.Pools[0].PrefixCaching, config.Pools[0].Eviction = true, kv.LRU
	source := &script{labels: workload.Labels{Tenants: []string{"t", "u"}, Classes: []string{"c", "d"}}}
	for id := 0; len(c) > 0; id++ {
		source.requests = append(source.requests, randomRequest(&c, id, simtime.Time(id)*simtime.Time(apart)))
	}
	config.Source = source
	return config
}

// hits runs a scenario and returns the tokens of prompts that came from caches.
func hits(t *testing.T, c simulator.Config) int64 {
	t.Helper()
	o, err := Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	var tokens int64
	for i := range o.Cells {
		tokens += o.Cells[i].CachedTokens
		for _, n := range o.Cells[i].TierTokens {
			tokens += n
		}
	}
	return tokens
}
