// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// adapters are the LoRA adapters that a replica holds. Nil ones gate nothing.
type adapters struct {
	simulator.AdapterPlaces
	// held are in order of use, the least recently used first. One is in use
	// from the time on that it begins to be loaded, and when a request of it
	// begins or ends to run.
	held []adapter
}

// adapter is one that is held, or that is being loaded.
type adapter struct {
	id      int32
	running int          // requests in the batch
	ready   simtime.Time // when it was or will be loaded
}

func newAdapters(p *simulator.AdapterPlaces) *adapters {
	if p == nil {
		return nil
	}
	return &adapters{AdapterPlaces: *p}
}

func (a *adapters) find(id int32) int {
	return slices.IndexFunc(a.held, func(h adapter) bool { return h.id == id })
}

// serves says whether a request of an adapter may run now; 0 is the base model. If
// there is a place for the adapter it begins to be loaded.
func (a *adapters) serves(id int32, now simtime.Time) bool {
	if a == nil || id == 0 {
		return true
	}
	if at := a.find(id); at >= 0 {
		return a.held[at].ready <= now
	}
	if len(a.held) == a.Max {
		idle := slices.IndexFunc(a.held, func(h adapter) bool { return h.running == 0 && h.ready <= now })
		if idle < 0 {
			return false
		}
		a.held = slices.Delete(a.held, idle, idle+1)
	}
	a.held = append(a.held, adapter{id: id, ready: now.Add(a.LoadTime)})
	return a.LoadTime == 0
}

// runs counts a request of an adapter that begins to run, or ends to.
func (a *adapters) runs(id int32, n int) {
	if a == nil || id == 0 {
		return
	}
	at := a.find(id)
	used := a.held[at]
	used.running += n
	a.held = append(slices.Delete(a.held, at, at+1), used)
}

// due is when the next adapter is loaded of those that are on their way; Never
// if none is.
func (a *adapters) due(now simtime.Time) simtime.Time {
	due := simtime.Never
	if a != nil {
		for _, h := range a.held {
			if h.ready > now {
				due = min(due, h.ready)
			}
		}
	}
	return due
}

// loading says whether adapters are on their way.
func (a *adapters) loading(now simtime.Time) bool { return a.due(now) < simtime.Never }

// readAdapters puts what a replica's metrics say of adapters into the view, and
// says whether that has changed.
func (g *gateway) readAdapters(r *replica) bool {
	if g.view.Adapters == nil || r.adapters == nil {
		return false
	}
	seen := &g.view.Adapters[r.index]
	active, waiting := g.adaptersIn(r)
	if slices.Equal(active, seen.Active) && slices.Equal(waiting, seen.Waiting) {
		return false
	}
	seen.Active = append(seen.Active[:0], active...)
	seen.Waiting = append(seen.Waiting[:0], waiting...)
	return true
}

// adaptersIn returns the adapters that requests run with and those that requests
// wait for, in order of their numbers, as vllm:lora_requests_info has them.
func (g *gateway) adaptersIn(r *replica) (active, waiting []int32) {
	active = g.numbers[:0]
	for _, h := range r.adapters.held {
		if h.running > 0 {
			active = append(active, h.id)
		}
	}
	n := len(active)
	all := active
	add := func(id int32) {
		if adapter := g.requests.All[id].Info.Adapter; adapter != 0 {
			all = append(all, adapter)
		}
	}
	r.waiting.Each(add)
	if r.port.loading > 0 {
		for i := range g.requests.All {
			if q := &g.requests.All[i]; q.Phase() == request.Loading && q.Replica == r.index {
				add(int32(i))
			}
		}
	}
	g.numbers = all
	active, waiting = all[:n:n], all[n:]
	slices.Sort(active)
	slices.Sort(waiting)
	return active, slices.Compact(waiting)
}

// viewAdapters lets the router see adapters, where some pool serves them.
func (g *gateway) viewAdapters() {
	for i := range g.cluster.replicas {
		if g.cluster.replicas[i].adapters == nil {
			continue
		}
		if g.view.Adapters == nil {
			g.view.Adapters = make([]policy.Adapters, len(g.cluster.replicas))
		}
		g.view.Adapters[i].Max = g.cluster.replicas[i].adapters.Max
	}
}
