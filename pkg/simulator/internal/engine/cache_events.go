// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/run"
)

// cacheEventRelay tells the router what a replica's cache holds. The cache lets blocks be
// found as soon as the step is formed that computes them; others hear of them
// when it ends.
type cacheEventRelay struct {
	*run.State
	router   policy.KVEventListener
	endpoint int
	// forming says that a step is being formed, computing what can be found
	// since steps were, and has not been told of.
	forming   bool
	computing []policy.CachedBlocks
}

// BlocksStored implements [kv.EventListener].
func (t *cacheEventRelay) BlocksStored(id uint64, from, to int32) {
	blocks := policy.CachedBlocks{Stretch: id, From: from, To: to}
	if t.forming {
		t.computing = append(t.computing, blocks)
		return
	}
	t.router.Stored(t.Now, t.endpoint, blocks, policy.GPUMemory)
}

// BlocksRemoved implements [kv.EventListener]. What is lost of a stretch is its end, and so is
// what is being computed of it.
func (t *cacheEventRelay) BlocksRemoved(id uint64, from, to int32) {
	kept := t.computing[:0]
	for _, b := range t.computing {
		if b.Stretch == id && b.To > from {
			to = min(to, max(b.From, from))
			b.To = from
		}
		if b.From < b.To {
			kept = append(kept, b)
		}
	}
	t.computing = kept
	if from < to {
		t.router.Removed(t.Now, t.endpoint, policy.CachedBlocks{Stretch: id, From: from, To: to}, policy.GPUMemory)
	}
}

// computed tells of what the step that ends now has computed. A nil receiver does
// nothing.
func (t *cacheEventRelay) computed() {
	if t == nil {
		return
	}
	for _, blocks := range t.computing {
		t.router.Stored(t.Now, t.endpoint, blocks, policy.GPUMemory)
	}
	t.computing = t.computing[:0]
}

// form says that a step is being formed from now on, or no longer.
func (t *cacheEventRelay) form(now bool) {
	if t != nil {
		t.forming = now
	}
}

// restarted tells of a replica that has lost all that it held.
func (t *cacheEventRelay) restarted(cache *kv.Cache) {
	if t == nil {
		return
	}
	t.computing = t.computing[:0]
	t.router.Cleared(t.Now, t.endpoint)
	cache.SetListener(t)
}

// tierEventRelay tells the router what a tier holds: of each replica that has it.
type tierEventRelay struct {
	*run.State
	router   policy.KVEventListener
	tier     policy.CacheTier
	from, to int32 // the replicas, to not being one
}

// BlocksStored implements [kv.EventListener].
func (t *tierEventRelay) BlocksStored(id uint64, from, to int32) {
	for e := t.from; e < t.to; e++ {
		t.router.Stored(t.Now, int(e), policy.CachedBlocks{Stretch: id, From: from, To: to}, t.tier)
	}
}

// BlocksRemoved implements [kv.EventListener].
func (t *tierEventRelay) BlocksRemoved(id uint64, from, to int32) {
	for e := t.from; e < t.to; e++ {
		t.router.Removed(t.Now, int(e), policy.CachedBlocks{Stretch: id, From: from, To: to}, t.tier)
	}
}
