// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/kv/stability"
	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// llamaBlock is the KV of 16 tokens of Llama 3.1 8B in bytes: keys and values
// of 32 layers × 8 heads × 128 numbers of 2 bytes.
const llamaBlock = 16 * 2 * 32 * 8 * 128 * 2

func TestBuildTiers(t *testing.T) {
	dram := transfer.Station{Latency: time.Microsecond, BytesPerSecond: 20e9}
	pcie := transfer.Station{Latency: time.Microsecond, BytesPerSecond: 63_015_384_615}
	eager := simulator.Offload{Threshold: 0.95, ThrashWindow: 10 * time.Second}
	for name, tc := range map[string]struct {
		in   v1alpha1.KVCache
		gpus int32
		want simulator.Tiers
	}{
		"none": {in: v1alpha1.KVCache{}, gpus: 1},
		"the host's memory and nothing else said": {
			in:   v1alpha1.KVCache{Tiers: []v1alpha1.Tier{{Kind: "CPU", Blocks: ptr.To[int32](500)}}},
			gpus: 1,
			want: simulator.Tiers{
				Lower:  []simulator.Tier{{Kind: simulator.CPUTier, Blocks: 500, Read: dram, Write: dram}},
				ToHost: pcie, ToGPU: pcie, Offload: eager,
			},
		},
		"two in another order, each GPU with a link of its own": {
			in: v1alpha1.KVCache{
				Tiers: []v1alpha1.Tier{
					{Kind: "Storage", Capacity: "1Gi", Device: "nvme-gen4", Latency: "1ms", Sharing: "Pool", Eviction: "Priority"},
					{Kind: "CPU", Capacity: "4Mi", ReadBytesPerSecond: "40G", WriteBytesPerSecond: "30Gi", Eviction: "LFU"},
				},
				Link:    &v1alpha1.Link{BytesPerSecond: "10G", Latency: "5us"},
				Offload: &v1alpha1.Offload{Policy: "Threshold", Threshold: "0.9", ThrashWindow: "1m"},
			},
			gpus: 2,
			want: simulator.Tiers{
				Lower: []simulator.Tier{
					{
						Kind: simulator.CPUTier, Blocks: 2, Eviction: kv.LFU,
						Read:  transfer.Station{Latency: time.Microsecond, BytesPerSecond: 40e9},
						Write: transfer.Station{Latency: time.Microsecond, BytesPerSecond: 30 << 30},
					},
					{
						Kind: simulator.StorageTier, Blocks: 512, Shared: true, Eviction: kv.Priority,
						Read:  transfer.Station{Latency: time.Millisecond, BytesPerSecond: 7e9},
						Write: transfer.Station{Latency: time.Millisecond, BytesPerSecond: 5e9},
					},
				},
				ToHost:  transfer.Station{Latency: 5 * time.Microsecond, BytesPerSecond: 20e9},
				ToGPU:   transfer.Station{Latency: 5 * time.Microsecond, BytesPerSecond: 20e9},
				Offload: simulator.Offload{Policy: simulator.OffloadThreshold, Threshold: 0.9, ThrashWindow: time.Minute},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			pool := mustBuild(t, func(s *v1alpha1.Scenario) {
				s.Pools[0].TensorParallelism = tc.gpus
				tc.in.MemoryUtilization = s.Pools[0].KVCache.MemoryUtilization
				s.Pools[0].KVCache = tc.in
			}).Pools[0]
			if diff := cmp.Diff(tc.want, pool.Tiers); diff != "" {
				t.Errorf("tiers (−want +got):\n%s", diff)
			}
			if pool.BlockBytes != llamaBlock {
				t.Errorf("a block has %d bytes, want %d", pool.BlockBytes, llamaBlock)
			}
		})
	}
}

func TestBuildEviction(t *testing.T) {
	for name, want := range map[v1alpha1.Eviction]kv.Order{"": kv.LRU, "LRU": kv.LRU, "LFU": kv.LFU, "Priority": kv.Priority} {
		pool := mustBuild(t, func(s *v1alpha1.Scenario) { s.Pools[0].KVCache.Eviction = name }).Pools[0]
		if pool.Eviction != want {
			t.Errorf("eviction %q is %v, want %v", name, pool.Eviction, want)
		}
	}
}

func TestTierValidation(t *testing.T) {
	cpu := func(edit func(*v1alpha1.Tier)) func(*v1alpha1.Scenario) {
		return func(s *v1alpha1.Scenario) {
			tier := v1alpha1.Tier{Kind: "CPU", Blocks: ptr.To[int32](500)}
			edit(&tier)
			s.Pools[0].KVCache.Tiers = []v1alpha1.Tier{tier}
		}
	}
	linked := func(link v1alpha1.Link) func(*v1alpha1.Scenario) {
		return func(s *v1alpha1.Scenario) {
			cpu(func(*v1alpha1.Tier) {})(s)
			s.Pools[0].KVCache.Link = &link
		}
	}
	for name, tc := range map[string]struct {
		edit       func(*v1alpha1.Scenario)
		path, text string
	}{
		"a device that there is none of": {
			cpu(func(tier *v1alpha1.Tier) { tier.Device = "tape" }), "kvCache.tiers[0].device", `supported values: "object-store", "sata-ssd"`,
		},
		"a link for a device":  {cpu(func(tier *v1alpha1.Tier) { tier.Device = "nvlink-4" }), "kvCache.tiers[0].device", "Unsupported"},
		"a device for a link":  {linked(v1alpha1.Link{Device: "dram"}), "kvCache.link.device", `"pcie-gen5-x16"`},
		"a link without bytes": {linked(v1alpha1.Link{BytesPerSecond: "0"}), "kvCache.link.bytesPerSecond", "at least 1 byte"},
		"too fast a link":      {linked(v1alpha1.Link{BytesPerSecond: "13T"}), "kvCache.link.bytesPerSecond", "at most 12"},
		"a negative bandwidth": {cpu(func(tier *v1alpha1.Tier) { tier.ReadBytesPerSecond = "-1" }), "kvCache.tiers[0].readBytesPerSecond", "at least 1 byte"},
		"a bandwidth of zero":  {cpu(func(tier *v1alpha1.Tier) { tier.WriteBytesPerSecond = "0" }), "kvCache.tiers[0].writeBytesPerSecond", "at least 1 byte"},
		"less than a block": {
			cpu(func(tier *v1alpha1.Tier) { tier.Blocks, tier.Capacity = nil, "2097151" }), "kvCache.tiers[0].capacity", "less than one KV block, which has 2097152 bytes",
		},
		"more blocks than there may be": {
			cpu(func(tier *v1alpha1.Tier) { tier.Blocks, tier.Capacity = nil, "64P" }), "kvCache.tiers[0].capacity", "at most 1000000000",
		},
		"storage that nothing leads to": {
			cpu(func(tier *v1alpha1.Tier) { tier.Kind = "Storage" }), "kvCache.tiers[0].readBytesPerSecond", "at least 1 byte",
		},
		"requests that the cache cannot hold": {func(s *v1alpha1.Scenario) {
			s.Pools[0].KVCache.Blocks, s.Pools[0].Engine.MaxModelLen = ptr.To[int32](101), ptr.To[int32](1601)
		}, "engine.maxModelLen", "which holds 1600 tokens"},
		"a cache that holds more than the prompts": {func(s *v1alpha1.Scenario) {
			s.Pools[0].KVCache.InitialCacheHitRate = "1.01"
		}, "kvCache.initialCacheHitRate", "from 0 to 1"},
		"a warm cache without prefix caching": {func(s *v1alpha1.Scenario) {
			s.Pools[0].KVCache.InitialCacheHitRate, s.Pools[0].Engine.PrefixCaching = "0.5", v1alpha1.Disabled
		}, "kvCache.initialCacheHitRate", "no effect"},
		"a warm cache beside a controller": {func(s *v1alpha1.Scenario) {
			s.Pools[0].KVCache.InitialCacheHitRate, s.Pools[0].KVCache.Stability = "0.5", &v1alpha1.Stability{}
		}, "kvCache.initialCacheHitRate", "cannot be set together with kvCache.stability"},
		"a margin below the mean": {func(s *v1alpha1.Scenario) {
			s.Pools[0].KVCache.Stability = &v1alpha1.Stability{Margin: "0.9"}
		}, "kvCache.stability.margin", "at least 1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := build(t, tc.edit)
			wantFault(t, errs, "spec.scenario.pools[0]."+tc.path, tc.text)
		})
	}
}

func TestCacheOfExactlyLongestRequest(t *testing.T) {
	mustBuild(t, func(s *v1alpha1.Scenario) {
		s.Pools[0].KVCache.Blocks, s.Pools[0].Engine.MaxModelLen = ptr.To[int32](101), ptr.To[int32](1600)
	})
}

func TestTierNotes(t *testing.T) {
	warnings := func(blocks int32) []string {
		m := buildValid(t, func(s *v1alpha1.Scenario) {
			s.Pools[0].KVCache.Tiers = []v1alpha1.Tier{{Kind: "CPU", Blocks: &blocks}}
		})
		return Notes(m.in, nil, &m.config, nil, spec)
	}
	const prompt = (1024 + 1024) / 16
	want := []string{"spec.scenario.pools[0].kvCache.tiers: the cpu tier holds 127 KV blocks, fewer than the 128 of the longest prompt"}
	if diff := cmp.Diff(want, warnings(prompt-1)); diff != "" {
		t.Errorf("warnings (−want +got):\n%s", diff)
	}
	if got := warnings(prompt); len(got) > 0 {
		t.Errorf("warnings %q", got)
	}
}

func TestBuildStability(t *testing.T) {
	defaults := stability.DefaultConfig()
	defaults.PromptChunkTokens = 8192
	for name, tc := range map[string]struct {
		in   *v1alpha1.Stability
		want *simulator.Stability
	}{
		"nobody watches": {nil, nil},
		"defaults":       {&v1alpha1.Stability{}, &simulator.Stability{Form: stability.FormQueueing, Config: defaults}},
		"all of it": {
			&v1alpha1.Stability{
				Controller: "QueueingSeed", Window: "30s", Margin: "1.3", MarginDeviations: "0", MinEvictionInterval: "0s",
				MinCompletions: 5, Evict: "Enabled", Admission: "Refuse",
			},
			&simulator.Stability{
				Form: stability.FormQueueingSeed, Admission: simulator.AdmitOrRefuse, Evict: true,
				Config: stability.Config{Window: 30 * time.Second, Margin: 1.3, BlockTokens: 16, PromptChunkTokens: 8192, MinCompletions: 5},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			pool := mustBuild(t, func(s *v1alpha1.Scenario) { s.Pools[0].KVCache.Stability = tc.in }).Pools[0]
			if diff := cmp.Diff(tc.want, pool.Stability); diff != "" {
				t.Errorf("stability (−want +got):\n%s", diff)
			}
		})
	}
}
