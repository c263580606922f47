// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// fullIndexes are the pools of which the router forgets prompts before the engines do. An index that
// is full has seen as many tokens as it holds since the last one that it forgot, so that a larger
// cache still has that one. The figures are those of the smallest index of a pool.
func fullIndexes(router policy.Router, pools []simulator.Pool) []result.FullIndex {
	indexer, ok := router.(policy.PrefixIndexer)
	if !ok {
		return nil
	}
	full := indexer.FullIndexes()
	var all []result.FullIndex
	for i := range pools {
		p := &pools[i]
		if len(full) < p.Places() {
			return all // of a router without indexes
		}
		of := result.FullIndex{Name: p.Name, Replicas: p.Places(), CacheTokens: cacheTokens(p)}
		for _, tokens := range full[:p.Places()] {
			if tokens == 0 || tokens >= of.CacheTokens {
				continue
			}
			if of.Full++; of.Tokens == 0 || tokens < of.Tokens {
				of.Tokens = tokens
			}
		}
		if of.Full > 0 && p.PrefixCaching {
			all = append(all, of)
		}
		full = full[p.Places():]
	}
	return all
}

// cacheTokens are the tokens that the KV cache of a replica holds, with the tiers below it.
func cacheTokens(p *simulator.Pool) int {
	blocks := p.KVBlocks
	for i := range p.Tiers.Lower {
		blocks += p.Tiers.Lower[i].Blocks
	}
	return blocks * p.BlockTokens
}
