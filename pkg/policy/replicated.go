// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Replicated is several routers side by side that a gateway takes in turn,
// request by request: that of a request is its ID modulo their number, also
// where it is routed again. Each is told of the answers to its own requests
// alone, and knows nothing of what the others sent where. All see the same
// scrapes, and hear the same of caches.
//
// It is what its routers are: it holds requests if one of them does, each in a
// queue of its own, ends those in flight if one of them does, and hears of caches
// if one of them does.
type Replicated struct {
	routers   []Router
	listeners []Listener      // nil where a router has none
	holders   []Holder        // nil where a router holds nothing
	revokers  []Revoker       // those that revoke
	hearers   []CacheListener // those that hear
	// changed are, by router, the endpoints whose scrapes have changed since it
	// was last shown them. More than there are endpoints are as good as all.
	changed [][]int32
	view    View // scratch
}

var (
	_ Revoker       = (*Replicated)(nil)
	_ CacheListener = (*Replicated)(nil)
	_ UsageListener = (*Replicated)(nil)
)

// NewReplicated returns the routers as one. There is at least one.
func NewReplicated(routers ...Router) *Replicated {
	r := &Replicated{
		routers:   routers,
		listeners: make([]Listener, len(routers)),
		holders:   make([]Holder, len(routers)),
		changed:   make([][]int32, len(routers)),
	}
	for i, router := range routers {
		r.changed[i] = []int32{} // nil would mean that all have
		r.listeners[i] = router.Listener()
		if h, ok := router.(Holder); ok && h.Holds() {
			r.holders[i] = h
		}
		if v, ok := router.(Revoker); ok && v.Revokes() {
			r.revokers = append(r.revokers, v)
		}
		if l, ok := router.(CacheListener); ok && l.Hears() {
			r.hearers = append(r.hearers, l)
		}
	}
	return r
}

func (r *Replicated) of(request int) int { return request % len(r.routers) }

// Route implements [Router].
func (r *Replicated) Route(view *View, request *Request) (Decision, error) {
	r.note(view)
	i := r.of(request.ID)
	return r.routers[i].Route(r.show(view, i), request)
}

// note remembers for each router which scrapes have changed.
func (r *Replicated) note(view *View) {
	for i, changed := range r.changed {
		switch {
		case len(changed) > len(view.Scrapes):
		case view.Changed == nil || len(view.Changed) > len(view.Scrapes):
			r.changed[i] = slices.Grow(changed, len(view.Scrapes)+1)[:len(view.Scrapes)+1]
		default:
			r.changed[i] = append(changed, view.Changed...)
		}
	}
}

// show returns the view as router i is to see it.
func (r *Replicated) show(view *View, i int) *View {
	r.view = *view
	r.view.Changed = r.changed[i]
	r.changed[i] = r.changed[i][:0]
	return &r.view
}

// Listener implements [Router].
func (r *Replicated) Listener() Listener {
	for _, l := range r.listeners {
		if l != nil {
			return r
		}
	}
	return nil
}

// FirstToken implements [Listener].
func (r *Replicated) FirstToken(request *Request, endpoint int) {
	if l := r.listeners[r.of(request.ID)]; l != nil {
		l.FirstToken(request, endpoint)
	}
}

// Finished implements [Listener].
func (r *Replicated) Finished(request *Request, endpoint int) {
	if l := r.listeners[r.of(request.ID)]; l != nil {
		l.Finished(request, endpoint)
	}
}

// Used implements [UsageListener].
func (r *Replicated) Used(at simtime.Time, request *Request, outputTokens int) {
	if l, ok := r.listeners[r.of(request.ID)].(UsageListener); ok {
		l.Used(at, request, outputTokens)
	}
}

// Holds implements [Holder].
func (r *Replicated) Holds() bool {
	return slices.ContainsFunc(r.holders, func(h Holder) bool { return h != nil })
}

// Wake implements [Holder].
func (r *Replicated) Wake(now simtime.Time) (simtime.Time, bool) {
	earliest, some := simtime.Never, false
	for _, h := range r.holders {
		if h == nil {
			continue
		}
		if at, ok := h.Wake(now); ok && (!some || at < earliest) {
			earliest, some = at, true
		}
	}
	return earliest, some
}

// Release implements [Holder]: the first router that lets a request go does.
func (r *Replicated) Release(view *View) (Released, bool) {
	r.note(view)
	for i, h := range r.holders {
		if h == nil {
			continue
		}
		if released, ok := h.Release(r.show(view, i)); ok {
			return released, true
		}
	}
	return Released{}, false
}

// Revokes implements [Revoker].
func (r *Replicated) Revokes() bool { return len(r.revokers) > 0 }

// Revoke implements [Revoker]: each router ends what it has routed.
func (r *Replicated) Revoke(now simtime.Time) (int, bool) {
	for _, v := range r.revokers {
		if request, ok := v.Revoke(now); ok {
			return request, true
		}
	}
	return 0, false
}

// Hears implements [CacheListener].
func (r *Replicated) Hears() bool { return len(r.hearers) > 0 }

// Stored implements [CacheListener].
func (r *Replicated) Stored(at simtime.Time, endpoint int, blocks CachedBlocks, tier CacheTier) {
	for _, l := range r.hearers {
		l.Stored(at, endpoint, blocks, tier)
	}
}

// Removed implements [CacheListener].
func (r *Replicated) Removed(at simtime.Time, endpoint int, blocks CachedBlocks, tier CacheTier) {
	for _, l := range r.hearers {
		l.Removed(at, endpoint, blocks, tier)
	}
}

// Cleared implements [CacheListener].
func (r *Replicated) Cleared(at simtime.Time, endpoint int) {
	for _, l := range r.hearers {
		l.Cleared(at, endpoint)
	}
}
