// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// gigabyte is a station that moves a byte a nanosecond.
var gigabyte = transfer.Station{BytesPerSecond: int64(time.Second)}

// twoTiers is smallConfig on two replicas, with a CPU and a storage tier below
// each and hand-overs between them.
func twoTiers() simulator.Config {
	c := smallConfig()
	p := &c.Pools[0]
	p.Replicas, p.BlockBytes, p.PrefixCaching = 2, 4, true
	p.Tiers = simulator.Tiers{
		Lower: []simulator.Tier{
			{Kind: simulator.CPUTier, Blocks: 10, Read: gigabyte, Write: gigabyte},
			{Kind: simulator.StorageTier, Blocks: 10, Read: gigabyte, Write: gigabyte},
		},
		ToHost: gigabyte, ToGPU: gigabyte,
	}
	c.Handoff = simulator.Handoff{Egress: gigabyte, Ingress: gigabyte}
	c.Disruptions = []simulator.Disruption{{At: 1, Kind: simulator.Drain}, {At: 1, Kind: simulator.Recover}}
	return c
}

// apart is a router that has prompts computed at one endpoint and answers at
// another.
type apart struct{}

func (apart) Route(*policy.View, *policy.Request) (policy.Route, error) {
	return policy.Route{Prefill: 0, Endpoint: 1}, nil
}

func TestBrokenRulesOfTransfersPanicWithTheirValues(t *testing.T) {
	for name, tc := range map[string]struct {
		breakIt func(c *simulator.Config)
		want    string
	}{
		"no bytes":                 {func(c *simulator.Config) { c.Pools[0].BlockBytes = 0 }, `pool "pool": tiers for blocks of no bytes`},
		"negative bytes":           {func(c *simulator.Config) { c.Pools[0].BlockBytes = -1 }, "10 blocks of -1 bytes"},
		"too many bytes":           {func(c *simulator.Config) { c.Pools[0].BlockBytes = math.MaxInt64 / 9 }, "10 blocks of 1024819115206086200 bytes"},
		"too many bytes in a tier": {func(c *simulator.Config) { c.Pools[0].BlockBytes, c.Pools[0].Tiers.Lower[0].Blocks = 1<<40, 1<<30 }, "tier cpu of 1073741824 blocks of 1099511627776 bytes"},
		"an order of eviction":     {func(c *simulator.Config) { c.Pools[0].Eviction = kv.Priority + 1 }, "eviction order 3"},
		"no such admission":        {func(c *simulator.Config) { c.Pools[0].Stability = &simulator.Stability{Admission: 3} }, "stability admission 3"},
		"a tier's order":           {func(c *simulator.Config) { c.Pools[0].Tiers.Lower[1].Eviction = -1 }, "tier storage with eviction order -1"},
		"no link to the GPU":       {func(c *simulator.Config) { c.Pools[0].Tiers.ToGPU.BytesPerSecond = 0 }, "BytesPerSecond:0} back"},
		"a tier that is not read":  {func(c *simulator.Config) { c.Pools[0].Tiers.Lower[0].Read.Latency = -1 }, "tier cpu reads at {Latency:-1ns"},
		"too fast a tier":          {func(c *simulator.Config) { c.Pools[0].Tiers.Lower[0].Write.BytesPerSecond = math.MaxInt64 }, "writes at {Latency:0s BytesPerSecond:9223372036854775807}"},
		"a tier of nothing":        {func(c *simulator.Config) { c.Pools[0].Tiers.Lower[0].Blocks = 0 }, "tier cpu of 0 blocks"},
		"a tier of no kind":        {func(c *simulator.Config) { c.Pools[0].Tiers.Lower[1].Kind = simulator.TierKinds }, "tier kind 2"},
		"two tiers of a kind":      {func(c *simulator.Config) { c.Pools[0].Tiers.Lower[1].Kind = simulator.CPUTier }, "tier cpu below tier cpu"},
		"no such offload":          {func(c *simulator.Config) { c.Pools[0].Tiers.Offload.Policy = 3 }, "offload {Policy:3"},
		"a negative window":        {func(c *simulator.Config) { c.Pools[0].Tiers.Offload.ThrashWindow = -1 }, "ThrashWindow:-1ns"},
		"no threshold":             {func(c *simulator.Config) { c.Pools[0].Tiers.Offload.Policy = simulator.OffloadThreshold }, "Threshold:0"},
		"a threshold of all": {func(c *simulator.Config) {
			c.Pools[0].Tiers.Offload = simulator.Offload{Policy: simulator.OffloadThreshold, Threshold: 1}
		}, "Threshold:1"},
		"a threshold of nothing": {func(c *simulator.Config) {
			c.Pools[0].Tiers.Offload = simulator.Offload{Policy: simulator.OffloadThreshold, Threshold: math.NaN()}
		}, "Threshold:NaN"},
		"an egress alone":          {func(c *simulator.Config) { c.Handoff.Ingress = transfer.Station{} }, "hand-over from {Latency:0s BytesPerSecond:1000000000} to {Latency:0s BytesPerSecond:0}"},
		"no such granularity":      {func(c *simulator.Config) { c.Handoff.Granularity = 3 }, "Granularity:3"},
		"more than a prompt":       {func(c *simulator.Config) { c.Handoff.StartShare = 1.5 }, "StartShare:1.5"},
		"a negative bound":         {func(c *simulator.Config) { c.Handoff.MaxPending = -1 }, "MaxPending:-1"},
		"disruptions that go back": {func(c *simulator.Config) { c.Disruptions[1].At = 0 }, "disruption 1 is at 0s, out of order"},
		"a disruption of nobody":   {func(c *simulator.Config) { c.Disruptions[0].Endpoint = 2 }, "disruption 0, of kind 1, is of endpoint 2 of 2"},
		"no such disruption":       {func(c *simulator.Config) { c.Disruptions[0].Kind = 3 }, "disruption 0, of kind 3"},
		"a hand-over over nothing": {func(c *simulator.Config) { c.Policies, c.Handoff = policy.RoutedBy(apart{}), simulator.Handoff{} }, "from endpoint 0 to 1"},
		"a hand-over to other blocks": {func(c *simulator.Config) {
			c.Policies = policy.RoutedBy(apart{})
			c.Pools[0].Replicas = 1
			c.Pools = append(c.Pools, c.Pools[0])
			c.Pools[1].BlockTokens = 8
		}, "blocks of 16 tokens and 4 bytes to 8 tokens and 4 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			c := twoTiers()
			tc.breakIt(&c)
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, tc.want) {
					t.Errorf("panic %q, want one with %q", got, tc.want)
				}
			}()
			_, _ = Run(context.Background(), c)
		})
	}
}

func TestTiersAndHandOversThatKeepTheRulesRun(t *testing.T) {
	c := twoTiers()
	c.Policies = policy.RoutedBy(apart{})
	if sum := simulate(t, c); sum.Completed != 2 {
		t.Errorf("%d completed, want 2", sum.Completed)
	}
}
