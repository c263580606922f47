// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/engine"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// readAdapters puts what a replica's metrics say of adapters into the view, and
// says whether that has changed.
func (g *Gateway) readAdapters(r *engine.Replica) bool {
	if g.View.Adapters == nil || r.Adapters == nil {
		return false
	}
	seen := &g.View.Adapters[r.Index]
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
func (g *Gateway) adaptersIn(r *engine.Replica) (active, waiting []int32) {
	active = g.numbers[:0]
	for _, h := range r.Adapters.Held {
		if h.Running > 0 {
			active = append(active, h.Id)
		}
	}
	n := len(active)
	all := active
	add := func(id int32) {
		if adapter := g.Requests.All[id].Info.Adapter; adapter != 0 {
			all = append(all, adapter)
		}
	}
	r.Waiting.Each(add)
	if r.Loading > 0 {
		for i := range g.Requests.All {
			if q := &g.Requests.All[i]; q.Phase() == request.Loading && q.Replica == r.Index {
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
func (g *Gateway) viewAdapters() {
	for i := range g.cluster.Replicas {
		if g.cluster.Replicas[i].Adapters == nil {
			continue
		}
		if g.View.Adapters == nil {
			g.View.Adapters = make([]policy.Adapters, len(g.cluster.Replicas))
		}
		g.View.Adapters[i].Max = g.cluster.Replicas[i].Adapters.Max
	}
}

// viewEngines lets the router see what engines export, if it asks for it.
func (g *Gateway) viewEngines() {
	if !g.Policies.Routing.Engines {
		return
	}
	g.View.Engines = make([]policy.Engine, len(g.cluster.Replicas))
	for i := range g.cluster.Replicas {
		g.cluster.Replicas[i].Exports = &engine.Exports{}
	}
}

// readEngine puts what an engine exports into the view, and says whether that has
// changed.
func (g *Gateway) readEngine(r *engine.Replica, scrape *policy.Scrape) bool {
	if g.View.Engines == nil {
		return false
	}
	seen := &g.View.Engines[r.Index]
	now := r.Engine(scrape.At, scrape)
	changed := now != *seen
	*seen = now
	return changed
}

// viewPresence lets the router see which replicas are not there at the start.
func (g *Gateway) viewPresence() {
	for i := range g.cluster.Replicas {
		if !g.cluster.Replicas[i].Lifetimes.Present() {
			g.SetDown(i, true)
		}
	}
}

// SetDown says whether the router may choose a replica.
func (g *Gateway) SetDown(endpoint int, down bool) {
	if g.View.Down == nil {
		g.View.Down = make([]bool, len(g.cluster.Replicas))
	}
	g.View.Down[endpoint] = down
}
