// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Replicate returns several routers side by side as one, which a gateway takes in
// turn, request by request: the router of a request is its Turn modulo their number,
// also where it is routed again. Each learns of the answers to its own requests
// alone, and knows nothing of what the others sent where. All see the same scrapes
// and the same KV events.
//
// The result takes part in what any of the routers does: each has a queue of its
// own, and evicts what it has routed. There is at least one router.
func Replicate(routings ...Routing) Routing {
	r := &replicas{routings: routings, changed: make([][]int32, len(routings))}
	for i := range r.changed {
		r.changed[i] = []int32{} // nil would mean that all have
	}
	all := Routing{Router: r}
	for _, one := range routings {
		if one.Responses != nil {
			all.Responses = r
		}
		if one.FirstTokens != nil {
			all.FirstTokens = r
		}
		if one.Usage != nil {
			all.Usage = r
		}
		if one.Queue != nil {
			all.Queue = r
		}
		if one.Evictor != nil {
			all.Evictor = r
		}
		if one.KVEvents != nil {
			r.kvEvents = append(r.kvEvents, one.KVEvents)
			all.KVEvents = r
		}
		if one.Metrics != nil {
			all.Metrics = r
		}
		all.Engines = all.Engines || one.Engines
	}
	return all
}

// replicas are the routers that Replicate makes one of.
type replicas struct {
	routings []Routing
	kvEvents []KVEventListener // of those that listen
	// changed are, by router, the endpoints whose scrapes have changed since it
	// was last shown them. More than there are endpoints are as good as all.
	changed [][]int32
	view    View // scratch
}

// of returns the index of the router of a request.
func (r *replicas) of(request *Request) int { return request.Turn % len(r.routings) }

// Route implements [Router].
func (r *replicas) Route(view *View, request *Request) (Route, error) {
	r.note(view)
	i := r.of(request)
	return r.routings[i].Router.Route(r.show(view, i), request)
}

// note remembers for each router which scrapes have changed.
func (r *replicas) note(view *View) {
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
func (r *replicas) show(view *View, i int) *View {
	r.view = *view
	r.view.Changed = r.changed[i]
	r.changed[i] = r.changed[i][:0]
	return &r.view
}

// FirstToken implements [ResponseListener].
func (r *replicas) FirstToken(request *Request, endpoint int) {
	if l := r.routings[r.of(request)].Responses; l != nil {
		l.FirstToken(request, endpoint)
	}
}

// FirstTokenAt implements [FirstTokenListener].
func (r *replicas) FirstTokenAt(at simtime.Time, request *Request) {
	if l := r.routings[r.of(request)].FirstTokens; l != nil {
		l.FirstTokenAt(at, request)
	}
}

// Finished implements [ResponseListener].
func (r *replicas) Finished(request *Request, endpoint int) {
	if l := r.routings[r.of(request)].Responses; l != nil {
		l.Finished(request, endpoint)
	}
}

// Used implements [UsageListener].
func (r *replicas) Used(at simtime.Time, request *Request, outputTokens int) {
	if l := r.routings[r.of(request)].Usage; l != nil {
		l.Used(at, request, outputTokens)
	}
}

// Queues implements [Queue].
func (r *replicas) Queues(request *Request) bool {
	q := r.routings[r.of(request)].Queue
	return q != nil && q.Queues(request)
}

// Wake implements [Queue].
func (r *replicas) Wake(now simtime.Time) (simtime.Time, bool) {
	earliest, some := simtime.Never, false
	for i := range r.routings {
		q := r.routings[i].Queue
		if q == nil {
			continue
		}
		if at, ok := q.Wake(now); ok && (!some || at < earliest) {
			earliest, some = at, true
		}
	}
	return earliest, some
}

// Release implements [Queue]: the first router that lets a request go does.
func (r *replicas) Release(view *View) (Released, bool) {
	r.note(view)
	for i := range r.routings {
		q := r.routings[i].Queue
		if q == nil {
			continue
		}
		if released, ok := q.Release(r.show(view, i)); ok {
			return released, true
		}
	}
	return Released{}, false
}

// Cancel implements [Queue].
func (r *replicas) Cancel(now simtime.Time, request *Request) {
	r.routings[r.of(request)].Queue.Cancel(now, request)
}

// Evict implements [Evictor]: each router evicts what it has routed.
func (r *replicas) Evict(now simtime.Time) (int, bool) {
	for i := range r.routings {
		e := r.routings[i].Evictor
		if e == nil {
			continue
		}
		if request, ok := e.Evict(now); ok {
			return request, true
		}
	}
	return 0, false
}

// Export implements [MetricsExporter]: the counts of all, and the highest saturation.
func (r *replicas) Export(view *View, router int, m *RouterMetrics) {
	for i := range r.routings {
		if e := r.routings[i].Metrics; e != nil {
			e.Export(view, router, m)
		}
	}
}

// Stored implements [KVEventListener].
func (r *replicas) Stored(at simtime.Time, endpoint int, blocks CachedBlocks, tier CacheTier) {
	for _, l := range r.kvEvents {
		l.Stored(at, endpoint, blocks, tier)
	}
}

// Removed implements [KVEventListener].
func (r *replicas) Removed(at simtime.Time, endpoint int, blocks CachedBlocks, tier CacheTier) {
	for _, l := range r.kvEvents {
		l.Removed(at, endpoint, blocks, tier)
	}
}

// Cleared implements [KVEventListener].
func (r *replicas) Cleared(at simtime.Time, endpoint int) {
	for _, l := range r.kvEvents {
		l.Cleared(at, endpoint)
	}
}
