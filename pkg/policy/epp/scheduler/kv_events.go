// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/kvindex"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Stored implements [policy.KVEventListener].
func (s *Scheduler) Stored(at simtime.Time, endpoint int, blocks policy.CachedBlocks, tier policy.CacheTier) {
	s.feed.Put(kvindex.Event{At: at, Endpoint: int32(endpoint), Kind: kvindex.Stored, Tier: tier, Blocks: blocks})
}

// Removed implements [policy.KVEventListener].
func (s *Scheduler) Removed(at simtime.Time, endpoint int, blocks policy.CachedBlocks, tier policy.CacheTier) {
	s.feed.Put(kvindex.Event{At: at, Endpoint: int32(endpoint), Kind: kvindex.Removed, Tier: tier, Blocks: blocks})
}

// Cleared implements [policy.KVEventListener].
func (s *Scheduler) Cleared(at simtime.Time, endpoint int) {
	s.feed.Put(kvindex.Event{At: at, Endpoint: int32(endpoint), Kind: kvindex.Cleared})
}
