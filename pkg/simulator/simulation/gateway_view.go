// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/engine"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// readAdapters puts what a replica's metrics say of adapters into the view, and
// says whether that has changed.
func (g *gateway) readAdapters(r *engine.Replica) bool {
	if g.view.Adapters == nil || r.Adapters == nil {
		return false
	}
	seen := &g.view.Adapters[r.Index]
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
func (g *gateway) adaptersIn(r *engine.Replica) (active, waiting []int32) {
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
	if r.Port.Loading > 0 {
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
func (g *gateway) viewAdapters() {
	for i := range g.cluster.Replicas {
		if g.cluster.Replicas[i].Adapters == nil {
			continue
		}
		if g.view.Adapters == nil {
			g.view.Adapters = make([]policy.Adapters, len(g.cluster.Replicas))
		}
		g.view.Adapters[i].Max = g.cluster.Replicas[i].Adapters.Max
	}
}

// viewEngines lets the router see what engines export, if it asks for it.
func (g *gateway) viewEngines() {
	if !g.policies.Routing.Engines {
		return
	}
	g.view.Engines = make([]policy.Engine, len(g.cluster.Replicas))
	for i := range g.cluster.Replicas {
		g.cluster.Replicas[i].Exports = &engine.Exports{}
	}
}

// readEngine puts what an engine exports into the view, and says whether that has
// changed.
func (g *gateway) readEngine(r *engine.Replica, scrape *policy.Scrape) bool {
	if g.view.Engines == nil {
		return false
	}
	seen := &g.view.Engines[r.Index]
	now := r.Engine(scrape.At, scrape)
	changed := now != *seen
	*seen = now
	return changed
}

// viewPresence lets the router see which replicas are not there at the start.
func (g *gateway) viewPresence() {
	for i := range g.cluster.Replicas {
		if !g.cluster.Replicas[i].Lifetimes.Present() {
			g.setDown(i, true)
		}
	}
}

// setDown says whether the router may choose a replica.
func (g *gateway) setDown(endpoint int, down bool) {
	if g.view.Down == nil {
		g.view.Down = make([]bool, len(g.cluster.Replicas))
	}
	g.view.Down[endpoint] = down
}
