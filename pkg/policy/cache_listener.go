// SPDX-License-Identifier: Apache-2.0

package policy

import "windtunnel.dev/windtunnel/pkg/simtime"

// A CacheListener is a Router that hears what engines store and what they
// evict, as vLLM publishes it (KV events). It is told in order of time for each
// endpoint, and of what happened up to a routing decision before that.
type CacheListener interface {
	Router
	// Hears is asked once, before the first request: where it is false, nothing
	// is told.
	Hears() bool
	// Stored says that from a time on an endpoint holds these blocks in GPU
	// memory or, where lower is true, in a tier below it.
	Stored(at simtime.Time, endpoint int, blocks CachedBlocks, lower bool)
	// Removed says that it no longer holds them there.
	Removed(at simtime.Time, endpoint int, blocks CachedBlocks, lower bool)
}

// CachedBlocks are the blocks [From, To) of the stretch of a prompt with that
// ID, cut into blocks of the engine's size.
type CachedBlocks struct {
	Stretch  uint64
	From, To int32
}
