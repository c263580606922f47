// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/kv/stability"
	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
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
	Fabric *fabric
	// Tiers is the tiers below the cache; nil if there are none. Then Fabric is set.
	Tiers *tierSet
	// links are the stations of Fabric that belong to the replica.
	links []link
	// Adapters are those that the replica holds; nil where it serves none.
	Adapters *adapters
}

// complete is how many blocks of a text hold computed tokens alone, or belong to
// a text that is computed.
func (h *holdings) complete(computed, total int32) int32 {
	if computed == total {
		return h.blocksOf(total)
	}
	return computed / int32(h.Cache.BlockTokens())
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

// delay is how long what is under way takes the busiest of the replica's own
// links.
func (h *holdings) delay(now simtime.Time) time.Duration {
	var longest time.Duration
	for _, k := range h.links {
		if !k.shared {
			longest = max(longest, h.Fabric.Queue(now, k.station).Delay)
		}
	}
	return longest
}

// restartLinks begins the figures of the links anew.
func (h *holdings) restartLinks(now simtime.Time) {
	for i := range h.links {
		h.links[i].from = h.Fabric.Load(now, h.links[i].station)
	}
}

// reportLinks returns what has crossed the links.
func (h *holdings) reportLinks(now simtime.Time) []simulator.LinkUse {
	var uses []simulator.LinkUse
	for _, k := range h.links {
		load := h.Fabric.Load(now, k.station)
		load.BytesMoved -= k.from.BytesMoved
		load.Busy -= k.from.Busy
		load.Shared -= k.from.Shared
		uses = append(uses, simulator.LinkUse{Name: k.name, Bytes: load.BytesMoved, Busy: load.Busy, MeanConcurrency: load.MeanConcurrency()})
	}
	return uses
}

// link is a station that a replica's blocks cross.
type link struct {
	name    string
	station transfer.StationID
	shared  bool // with other replicas
	// from is its figures as of when those of the run began.
	from transfer.Load
}
