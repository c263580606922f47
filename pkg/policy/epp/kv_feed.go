// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"cmp"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// A kvFeed is the engines' KV events on their way to the indices. Each takes as
// long.
type kvFeed struct {
	lag       time.Duration
	listeners []kvListener
	// events are in the order in which they happened, up to sorted; events of
	// one nanosecond by endpoint.
	events []kvEvent
	sorted int
}

// A kvListener is a plugin that keeps an index of the engines' caches.
type kvListener interface {
	// digest takes an event that arrives at a time.
	digest(e *kvEvent, arrival simtime.Time)
}

type kvEvent struct {
	at       simtime.Time
	endpoint int32
	kind     kvEventKind
	tier     policy.CacheTier
	blocks   policy.CachedBlocks
}

type kvEventKind uint8

const (
	kvStored kvEventKind = iota
	kvRemoved
	kvCleared
)

var _ policy.CacheListener = (*Scheduler)(nil)

// Hears implements [policy.CacheListener]: the scheduler hears where one of its
// plugins does.
func (s *Scheduler) Hears() bool { return len(s.feed.listeners) > 0 }

// Stored implements [policy.CacheListener].
func (s *Scheduler) Stored(at simtime.Time, endpoint int, blocks policy.CachedBlocks, tier policy.CacheTier) {
	s.feed.events = append(s.feed.events, kvEvent{at, int32(endpoint), kvStored, tier, blocks})
}

// Removed implements [policy.CacheListener].
func (s *Scheduler) Removed(at simtime.Time, endpoint int, blocks policy.CachedBlocks, tier policy.CacheTier) {
	s.feed.events = append(s.feed.events, kvEvent{at, int32(endpoint), kvRemoved, tier, blocks})
}

// Cleared implements [policy.CacheListener].
func (s *Scheduler) Cleared(at simtime.Time, endpoint int) {
	s.feed.events = append(s.feed.events, kvEvent{at: at, endpoint: int32(endpoint), kind: kvCleared})
}

// deliver lets everything arrive that does so up to a time.
func (f *kvFeed) deliver(now simtime.Time) {
	if len(f.events) == 0 {
		return
	}
	// What was told before the last decision happened before what was told since.
	slices.SortStableFunc(f.events[f.sorted:], func(a, b kvEvent) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.endpoint, b.endpoint))
	})
	n := 0
	for n < len(f.events) {
		arrival := f.events[n].at.Add(f.lag)
		if arrival > now {
			break
		}
		for _, l := range f.listeners {
			l.digest(&f.events[n], arrival)
		}
		n++
	}
	f.events = f.events[:copy(f.events, f.events[n:])]
	f.sorted = len(f.events)
}
