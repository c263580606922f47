// SPDX-License-Identifier: Apache-2.0

package epp

import "k8s.io/apimachinery/pkg/util/validation/field"

const burstPrefixCacheProducerType = "burst-prefix-cache-producer"

// burstPrefixCacheProducer holds requests for a moment and sends those with equal
// prompts to one endpoint.
var burstPrefixCacheProducer = pluginType{
	name:  burstPrefixCacheProducerType,
	roles: producerRole,
	alpha: true,
	parameters: func() any {
		return &burstParameters{WindowDurationMs: 100, MaxPerReplica: -1, BlockSizeTokens: 64, MaxBatchSize: 1000, BalanceBy: balanceByRequests}
	},
	needs:     needsTokens,
	produces:  func(p *plugin) []dataKey { return []dataKey{{prefixMatchData, p.Name}} },
	treatment: unsupported("it holds requests back for windowDurationMs to place those with equal prompts together, and none are held here; approx-prefix-cache-producer makes the same data of each request alone"),
}

const (
	balanceByRequests = "requests"
	balanceByTokens   = "tokens"
	maxBurstWindowMs  = 10000
)

// burstParameters: -1 for MaxPerReplica and MaxBatchSize is no limit.
type burstParameters struct {
	WindowDurationMs       int    `json:"windowDurationMs"`
	MaxPerReplica          int    `json:"maxPerReplica"`
	BlockSizeTokens        int    `json:"blockSizeTokens"`
	MaxPrefixTokensToMatch int    `json:"maxPrefixTokensToMatch"`
	MinColocateBlocks      int    `json:"minColocateBlocks"`
	MaxBatchSize           int    `json:"maxBatchSize"`
	BalanceBy              string `json:"balanceBy"`
}

func (p *burstParameters) check(l *loader, path *field.Path) {
	setDefault(&p.BalanceBy, balanceByRequests)
	for _, wrong := range []struct {
		is    bool
		name  string
		value int
		must  string
	}{
		{p.WindowDurationMs <= 0 || p.WindowDurationMs > maxBurstWindowMs, "windowDurationMs", p.WindowDurationMs, "must be between 1 and 10000"},
		{p.MaxPerReplica != -1 && p.MaxPerReplica < 1, "maxPerReplica", p.MaxPerReplica, "must be at least 1, or -1 for no limit"},
		{p.BlockSizeTokens <= 0, "blockSizeTokens", p.BlockSizeTokens, "must be greater than 0"},
		{p.MaxPrefixTokensToMatch < 0, "maxPrefixTokensToMatch", p.MaxPrefixTokensToMatch, "must not be negative"},
		{p.MaxPrefixTokensToMatch > 0 && p.MaxPrefixTokensToMatch < p.BlockSizeTokens, "maxPrefixTokensToMatch", p.MaxPrefixTokensToMatch, "must be 0 or at least a block"},
		{p.MinColocateBlocks < 0, "minColocateBlocks", p.MinColocateBlocks, "must not be negative"},
		{p.MaxBatchSize != -1 && p.MaxBatchSize < 1, "maxBatchSize", p.MaxBatchSize, "must be at least 1, or -1 for no limit"},
	} {
		if wrong.is {
			l.add(field.Invalid(path.Child(wrong.name), wrong.value, wrong.must))
		}
	}
	checkOneOf(l, path.Child("balanceBy"), p.BalanceBy, []string{balanceByRequests, balanceByTokens})
}
