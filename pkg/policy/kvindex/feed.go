// SPDX-License-Identifier: Apache-2.0

package kvindex

import (
	"cmp"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// A Feed is the news of caches that is still on its way to the listeners of
// a router. The zero value takes no time and has no listener.
type Feed struct {
	// Lag is how long each event takes.
	Lag time.Duration
	// Digesters are the listeners.
	Digesters []Digester

	// events are in order of time, up to sorted; those of one nanosecond by
	// endpoint.
	events []Event
	sorted int

	bursts  []burst // scratch
	scratch []Event
}

// burst is neighbouring events of one nanosecond and one endpoint, as a step leaves them.
type burst struct {
	at       simtime.Time
	endpoint int32
	from, to int32
}

// A Digester keeps an index.
type Digester interface {
	// Digest takes an event that arrives at a time.
	Digest(e *Event, arrival simtime.Time)
}

// An Event is news of an endpoint. Blocks and Tier mean nothing where it
// is Cleared.
type Event struct {
	At       simtime.Time
	Endpoint int32
	Kind     EventKind
	Tier     policy.CacheTier
	Blocks   policy.CachedBlocks
}

// EventKind is what happened to blocks.
type EventKind uint8

// The kinds, as a policy.CacheListener receives them.
const (
	Stored EventKind = iota
	Removed
	Cleared
)

// Put takes an event. It comes after those of its endpoint that were put before.
func (f *Feed) Put(e Event) { f.events = append(f.events, e) }

// Deliver lets everything arrive that does so up to a time. All events up to then
// must have been put.
func (f *Feed) Deliver(now simtime.Time) {
	if len(f.events) == 0 {
		return
	}
	// What was put before the last call happened before what was put since.
	f.sort(f.events[f.sorted:])
	n := 0
	for n < len(f.events) {
		arrival := f.events[n].At.Add(f.Lag)
		if arrival > now {
			break
		}
		for _, d := range f.Digesters {
			d.Digest(&f.events[n], arrival)
		}
		n++
	}
	f.events = f.events[:copy(f.events, f.events[n:])]
	f.sorted = len(f.events)
}

// sort brings events into order, burst by burst.
func (f *Feed) sort(events []Event) {
	f.bursts = f.bursts[:0]
	for i := range events {
		e, last := &events[i], len(f.bursts)-1
		if last < 0 || e.At != f.bursts[last].at || e.Endpoint != f.bursts[last].endpoint {
			f.bursts = append(f.bursts, burst{at: e.At, endpoint: e.Endpoint, from: int32(i)})
			last++
		}
		f.bursts[last].to = int32(i + 1)
	}
	slices.SortStableFunc(f.bursts, func(a, b burst) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.endpoint, b.endpoint))
	})
	f.scratch = append(f.scratch[:0], events...)
	events = events[:0]
	for _, b := range f.bursts {
		events = append(events, f.scratch[b.from:b.to]...)
	}
}

// Apply is what an event does to an index that knows all tiers.
func (e *Event) Apply(x *Index) {
	switch e.Kind {
	case Cleared:
		x.Clear(int(e.Endpoint))
	case Stored:
		x.Add(e.Blocks, int(e.Endpoint), e.Tier)
	case Removed:
		x.Remove(e.Blocks, int(e.Endpoint), e.Tier)
	}
}
