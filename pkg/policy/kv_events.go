// SPDX-License-Identifier: Apache-2.0

package policy

import "windtunnel.dev/windtunnel/pkg/simtime"

// A KVEventListener learns what engines store and what they evict, as vLLM
// publishes it (KV events): in order of time for each endpoint, and before a
// routing decision of what happened up to it. Blocks that an event reports as stored
// were not there, and removed ones were.
type KVEventListener interface {
	// Stored says that from a time on an endpoint holds these blocks in a tier
	// and others can use them: what it computes, from the end of the step on.
	// What several endpoints share is reported for each of them.
	Stored(at simtime.Time, endpoint int, blocks CachedBlocks, tier CacheTier)
	// Removed says that it no longer holds them there.
	Removed(at simtime.Time, endpoint int, blocks CachedBlocks, tier CacheTier)
	// Cleared says that an endpoint has lost all that it held, but for what it
	// holds in tiers that others share.
	Cleared(at simtime.Time, endpoint int)
}

// CachedBlocks are the blocks [From, To) of the stretch of a prompt with that
// ID, cut into blocks of the engine's size.
type CachedBlocks struct {
	Stretch  uint64
	From, To int32
}

// A CacheTier is where an endpoint holds blocks.
type CacheTier uint8

// The tiers.
const (
	GPUMemory CacheTier = iota
	CPUMemory
	Storage
	// CacheTiers is how many there are.
	CacheTiers
)

func (t CacheTier) String() string { return [...]string{"gpu", "cpu", "storage"}[t] }
