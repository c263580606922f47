// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"slices"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// RouterPolicies are the policies of the requests of one router.
type RouterPolicies struct {
	Policies
	// First is the first endpoint of the router, and Endpoints is how many there are. They
	// follow each other.
	First, Endpoints int
}

// ByRouter returns the policies of several routers as one, by [Request].Router. The
// endpoints of the first router come first, then those of the second one, and so on.
//
// Each policy sees the endpoints of its router only, numbered from 0, and learns of its own
// requests only. A router is asked to release and to evict requests after a request was
// routed to it, and when it wakes. So it decides as it does alone, and what it holds back
// delays no request of another router.
func ByRouter(routers ...RouterPolicies) Policies {
	r := &sideBySide{}
	all := Policies{Routing: r.routing(routers)}
	var traffic []*Traffic
	for i := range routers {
		one := &routers[i].Policies
		if one.Priority != nil {
			all.Priority = r
		}
		if one.Admission != nil {
			all.Admission = r
		}
		traffic = append(traffic, one.Traffic)
		all.Adaptations = append(all.Adaptations, one.Adaptations...)
	}
	if slices.ContainsFunc(traffic, func(t *Traffic) bool { return t != nil }) {
		all.Traffic = trafficByRouter(traffic...)
	}
	return all
}

// routing makes the parts of the routers, and what they take part in together.
func (r *sideBySide) routing(routers []RouterPolicies) Routing {
	all := Routing{Router: r}
	for i := range routers {
		one, routing := &routers[i], &routers[i].Routing
		if one.First != len(r.ownerOf) {
			panic(fmt.Sprintf("policy: the endpoints of router %d begin at %d instead of %d", i, one.First, len(r.ownerOf)))
		}
		for range one.Endpoints {
			r.ownerOf = append(r.ownerOf, i)
		}
		r.parts = append(r.parts, routerPart{RouterPolicies: *one, changed: []int32{}})
		if routing.Responses != nil {
			all.Responses = r
		}
		if routing.FirstTokens != nil {
			all.FirstTokens = r
		}
		if routing.Usage != nil {
			all.Usage = r
		}
		if routing.Queue != nil {
			all.Queue = r
		}
		if routing.Evictor != nil {
			all.Evictor = r
		}
		if routing.KVEvents != nil {
			all.KVEvents = r
		}
		if routing.Metrics != nil {
			all.Metrics = r
		}
		all.Engines = all.Engines || routing.Engines
	}
	return all
}

// sideBySide are the routers that ByRouter makes one of.
type sideBySide struct {
	parts   []routerPart
	ownerOf []int // the part of each endpoint
}

// routerPart is one of the routers.
type routerPart struct {
	RouterPolicies
	view View // scratch
	// adapters says whether the endpoints serve adapters; nil until the first question.
	adapters *bool
	// changed are the scrapes that have changed since the router last saw them;
	// allChanged says that any of them may have.
	changed    []int32
	allChanged bool
	// asked says that Release concerns the part: a request was routed to it, or it
	// wakes. evicts says that Evict does.
	asked, evicts bool
	// wakeAt is when it wakes, if it holds requests.
	wakeAt simtime.Time
	holds  bool
}

// of returns the part that routes a request.
func (r *sideBySide) of(request *Request) *routerPart {
	return &r.parts[request.Router]
}

// note remembers for each part which scrapes have changed.
func (r *sideBySide) note(view *View) {
	if view.Changed == nil || len(view.Changed) > len(view.Scrapes) {
		for i := range r.parts {
			r.parts[i].allChanged = true
		}
		return
	}
	for _, endpoint := range view.Changed {
		p := &r.parts[r.ownerOf[endpoint]]
		if len(p.changed) > p.Endpoints {
			p.allChanged = true
		}
		if !p.allChanged {
			p.changed = append(p.changed, endpoint-int32(p.First))
		}
	}
}

// show returns the view of the part's own endpoints for its router, with the scrapes that
// have changed since the last time.
func (p *routerPart) show(view *View) *View {
	p.look(view)
	if !p.allChanged {
		p.view.Changed = p.changed
	}
	p.changed, p.allChanged = p.changed[:0], false
	return &p.view
}

// look returns the view of the part's own endpoints. It does not say which scrapes have
// changed.
func (p *routerPart) look(view *View) *View {
	first, end := p.First, p.First+p.Endpoints
	p.view = View{Now: view.Now, Scrapes: view.Scrapes[first:end], Traffic: p.Traffic}
	if view.Down != nil {
		p.view.Down = view.Down[first:end]
	}
	if p.Routing.Engines {
		p.view.Engines = view.Engines[first:end]
	}
	if view.Adapters != nil && p.servesAdapters(view.Adapters[first:end]) {
		p.view.Adapters = view.Adapters[first:end]
	}
	return &p.view
}

// servesAdapters reports whether some of the part's endpoints serve adapters, which does
// not change in a run.
func (p *routerPart) servesAdapters(own []Adapters) bool {
	if p.adapters == nil {
		some := slices.ContainsFunc(own, func(a Adapters) bool { return a.Max > 0 })
		p.adapters = &some
	}
	return *p.adapters
}

// place returns a decision of the part with the numbers that endpoints have outside it.
func (p *routerPart) place(to Route) Route {
	to.Endpoint += p.First
	if to.Prefill != NoPrefill {
		to.Prefill += p.First
	}
	return to
}

// Prioritize implements [Priority]. The priority of a request whose router has no policy
// of priorities stays.
func (r *sideBySide) Prioritize(view *View, request *Request) (priority int, hints Hints) {
	p := r.of(request)
	if p.Priority == nil {
		return request.Priority, Hints{}
	}
	return p.Priority.Prioritize(p.look(view), request)
}

// Admit implements [Admission].
func (r *sideBySide) Admit(view *View, request *Request) AdmissionResponse {
	p := r.of(request)
	if p.Admission == nil {
		return AdmissionResponse{}
	}
	return p.Admission.Admit(p.look(view), request)
}

// Route implements [Router].
func (r *sideBySide) Route(view *View, request *Request) (Route, error) {
	r.note(view)
	p := r.of(request)
	p.asked = true
	to, err := p.Routing.Router.Route(p.show(view), request)
	if err != nil {
		return to, err
	}
	return p.place(to), nil
}

// FirstToken implements [ResponseListener].
func (r *sideBySide) FirstToken(request *Request, endpoint int) {
	if p := r.of(request); p.Routing.Responses != nil {
		p.Routing.Responses.FirstToken(request, endpoint-p.First)
	}
}

// FirstTokenAt implements [FirstTokenListener].
func (r *sideBySide) FirstTokenAt(at simtime.Time, request *Request) {
	if p := r.of(request); p.Routing.FirstTokens != nil {
		p.Routing.FirstTokens.FirstTokenAt(at, request)
	}
}

// Finished implements [ResponseListener].
func (r *sideBySide) Finished(request *Request, endpoint int) {
	if p := r.of(request); p.Routing.Responses != nil {
		p.Routing.Responses.Finished(request, endpoint-p.First)
	}
}

// Used implements [UsageListener].
func (r *sideBySide) Used(at simtime.Time, request *Request, outputTokens int) {
	if p := r.of(request); p.Routing.Usage != nil {
		p.Routing.Usage.Used(at, request, outputTokens)
	}
}

// Queues implements [Queue].
func (r *sideBySide) Queues(request *Request) bool {
	p := r.of(request)
	return p.Routing.Queue != nil && p.Routing.Queue.Queues(request)
}

// Wake implements [Queue]: the earliest of the parts' times.
func (r *sideBySide) Wake(simtime.Time) (simtime.Time, bool) {
	earliest, some := simtime.Never, false
	for i := range r.parts {
		if p := &r.parts[i]; p.holds && (!some || p.wakeAt < earliest) {
			earliest, some = p.wakeAt, true
		}
	}
	return earliest, some
}

// Release implements [Queue]: it asks the parts to which a request was routed. If there
// are none, it asks those that wake.
func (r *sideBySide) Release(view *View) (Released, bool) {
	r.note(view)
	if !r.asked() {
		r.wake(view.Now)
	}
	for i := range r.parts {
		p := &r.parts[i]
		if p.asked && p.Routing.Queue != nil {
			if released, ok := p.Routing.Queue.Release(p.show(view)); ok {
				if released.Err == nil {
					released.Decision = p.place(released.Decision)
				}
				return released, true
			}
			p.wakeAt, p.holds = p.Routing.Queue.Wake(view.Now)
			p.evicts = p.Routing.Evictor != nil
		}
		p.asked = false
	}
	return Released{}, false
}

// asked reports whether Release concerns some part.
func (r *sideBySide) asked() bool {
	for i := range r.parts {
		if r.parts[i].asked {
			return true
		}
	}
	return false
}

// wake has the parts asked whose time has come.
func (r *sideBySide) wake(now simtime.Time) {
	for i := range r.parts {
		p := &r.parts[i]
		p.asked = p.holds && p.wakeAt <= now
	}
}

// Cancel implements [Queue].
func (r *sideBySide) Cancel(now simtime.Time, request *Request) {
	p := r.of(request)
	p.asked = true
	p.Routing.Queue.Cancel(now, request)
}

// Evict implements [Evictor]: it asks the parts that were asked to release requests.
func (r *sideBySide) Evict(now simtime.Time) (int, bool) {
	for i := range r.parts {
		p := &r.parts[i]
		if !p.evicts {
			continue
		}
		if request, ok := p.Routing.Evictor.Evict(now); ok {
			return request, true
		}
		p.evicts = false
	}
	return 0, false
}

// Export implements [MetricsExporter]: the metrics of one router.
func (r *sideBySide) Export(view *View, router int, m *RouterMetrics) {
	if p := &r.parts[router]; p.Routing.Metrics != nil {
		p.Routing.Metrics.Export(p.look(view), router, m)
	}
}

// hearsOf returns the part that listens to the KV events of an endpoint; nil where none
// does.
func (r *sideBySide) hearsOf(endpoint int) *routerPart {
	if p := &r.parts[r.ownerOf[endpoint]]; p.Routing.KVEvents != nil {
		return p
	}
	return nil
}

// Stored implements [KVEventListener].
func (r *sideBySide) Stored(at simtime.Time, endpoint int, blocks CachedBlocks, tier CacheTier) {
	if p := r.hearsOf(endpoint); p != nil {
		p.Routing.KVEvents.Stored(at, endpoint-p.First, blocks, tier)
	}
}

// Removed implements [KVEventListener].
func (r *sideBySide) Removed(at simtime.Time, endpoint int, blocks CachedBlocks, tier CacheTier) {
	if p := r.hearsOf(endpoint); p != nil {
		p.Routing.KVEvents.Removed(at, endpoint-p.First, blocks, tier)
	}
}

// Cleared implements [KVEventListener].
func (r *sideBySide) Cleared(at simtime.Time, endpoint int) {
	if p := r.hearsOf(endpoint); p != nil {
		p.Routing.KVEvents.Cleared(at, endpoint-p.First)
	}
}
