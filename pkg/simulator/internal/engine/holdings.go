// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/kv/stability"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/network"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/tier"
)

// holdings are the KV and the adapters that a replica holds, and the ways on which KV comes
// and goes.
type holdings struct {
	Cache *kv.Cache
	// unused bounds the blocks that can still hold KV from before the replica's start.
	unused int
	// cacheEvents tells the router what the cache holds; nil where it does not hear.
	cacheEvents *cacheEventRelay
	// Fabric moves blocks to and from the replica; nil where nothing does.
	Fabric *network.Fabric
	// Tiers is the tiers below the cache; nil if there are none. Then Fabric is set.
	Tiers *tier.Set
	// Links are those of Fabric that belong to the replica.
	Links network.Links
	// Adapters are those that the replica holds; nil where it serves none.
	Adapters *adapters

	extents []prompt.Extent // scratch
}

// blocksOf returns how many blocks a number of tokens takes.
func (h *holdings) blocksOf(tokens int32) int32 {
	block := int32(h.Cache.BlockTokens())
	return (tokens + block - 1) / block
}

// match returns how many leading tokens of a request the cache has. The last
// token is always computed: its output is the next token.
func (h *holdings) match(q *request.Request) int32 {
	return int32(h.Cache.Match(q.Chain, int(q.Total-1)))
}

// Memory is the replica's, as a controller sees it.
func (h *holdings) Memory() stability.Memory {
	blank := h.Cache.Blank()
	return stability.Memory{
		TotalBlocks:     h.Cache.Blocks(),
		FreeBlocks:      blank,
		EvictableBlocks: h.Cache.Free() - blank,
		SharedBlocks:    h.Cache.Shared(),
	}
}
