// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const burstPrefixCacheProducerType = "burst-prefix-cache-producer"

// burstPrefixCacheProducer holds requests for the length of a window, which begins
// with the first of them, and says of each that one endpoint holds all of its
// prompt: of those with equal prompts that it is the same one. To all others of a
// window no endpoint holds anything. It is a [burstPlacement] that chooses.
//
// A request waits behind the admission of sheddable ones and flow control, before
// admitters and profiles, and is then routed by what the metrics were when its
// wait began. One that comes to a full window does not wait, and goes without
// data of this producer.
var burstPrefixCacheProducer = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         burstPrefixCacheProducerType,
		Registration: version.GIE("router-v0.10.."),
		Roles:        config.ProducerRole,
		Alpha:        true,
		Parameters: func() any {
			return &burstParameters{WindowDurationMs: 100, MaxPerReplica: burstUnlimited, BlockSizeTokens: 64, MaxBatchSize: 1000, BalanceBy: balanceByRequests}
		},
		Needs: config.NeedsTokens,
		Produces: func(p *config.Plugin) []config.DataKey {
			return []config.DataKey{{Kind: config.PrefixMatchData, Producer: p.Name}}
		},
		Freshness: "of the requests that came in one window, as it closed",
		Treatment: func(*config.Config, *config.Cluster, *config.Plugin) (config.Treatment, string) {
			return config.Approximated, "requests leave a window one after the other, in the order of arrival, and other producers see them at that time, but in the EPP possibly before the wait; with a full window the other producers see all of them; an endpoint that is removed while a request waits is not picked"
		},
	},
	NewProducer: func(b *scheduler.Builder, p *config.Plugin) scheduler.Producer {
		return &burstWindow{parameters: p.Parameters.(*burstParameters), match: b.PrefixMatch(p.Name), endpoints: b.Endpoints}
	},
}

const (
	balanceByRequests = "requests"
	balanceByTokens   = "tokens"
	maxBurstWindowMs  = 10000
	// burstUnlimited stands for no limit.
	burstUnlimited = -1
	// maxBurstBlocks bounds the blocks of a prompt that are looked at, unless a
	// number of tokens does.
	maxBurstBlocks = 2048
)

// burstParameters have burstUnlimited for no MaxPerReplica and no MaxBatchSize.
type burstParameters struct {
	WindowDurationMs       int    `json:"windowDurationMs"`
	MaxPerReplica          int    `json:"maxPerReplica"`
	BlockSizeTokens        int    `json:"blockSizeTokens"`
	MaxPrefixTokensToMatch int    `json:"maxPrefixTokensToMatch"`
	MinColocateBlocks      int    `json:"minColocateBlocks"`
	MaxBatchSize           int    `json:"maxBatchSize"`
	BalanceBy              string `json:"balanceBy"`
}

func (p *burstParameters) Check(l *config.Loader, path *field.Path) {
	config.SetDefault(&p.BalanceBy, balanceByRequests)
	for _, wrong := range []struct {
		is    bool
		name  string
		value int
		must  string
	}{
		{p.WindowDurationMs <= 0 || p.WindowDurationMs > maxBurstWindowMs, "windowDurationMs", p.WindowDurationMs, "must be between 1 and 10000"},
		{p.MaxPerReplica != burstUnlimited && p.MaxPerReplica < 1, "maxPerReplica", p.MaxPerReplica, "must be at least 1, or -1 for no limit"},
		{p.BlockSizeTokens <= 0, "blockSizeTokens", p.BlockSizeTokens, "must be greater than 0"},
		{p.MaxPrefixTokensToMatch < 0, "maxPrefixTokensToMatch", p.MaxPrefixTokensToMatch, "must not be negative"},
		{p.MaxPrefixTokensToMatch > 0 && p.MaxPrefixTokensToMatch < p.BlockSizeTokens, "maxPrefixTokensToMatch", p.MaxPrefixTokensToMatch, "must be 0 or at least a block"},
		{p.MinColocateBlocks < 0, "minColocateBlocks", p.MinColocateBlocks, "must not be negative"},
		{p.MaxBatchSize != burstUnlimited && p.MaxBatchSize < 1, "maxBatchSize", p.MaxBatchSize, "must be at least 1, or -1 for no limit"},
	} {
		if wrong.is {
			l.Add(field.Invalid(path.Child(wrong.name), wrong.value, wrong.must))
		}
	}
	config.CheckOneOf(l, path.Child("balanceBy"), p.BalanceBy, []string{balanceByRequests, balanceByTokens})
}

func (p *burstParameters) maxBlocks() int {
	if p.MaxPrefixTokensToMatch > 0 {
		return p.MaxPrefixTokensToMatch / p.BlockSizeTokens
	}
	return maxBurstBlocks
}
