// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// awaits lets a request wait at the gateway for a replica to serve, if none does, and
// rejects it when its time is over. It reports whether the request is dealt with.
func (g *gateway) awaits(id int32) bool {
	q := &g.Requests.All[id]
	router := g.routerFor(q)
	if g.patience == 0 || g.serves(router) {
		return false
	}
	until := deadline(q.Info.Arrival, g.patience)
	if until <= g.Now {
		g.reject(id, simulator.NoPool, simulator.Expired)
		return true
	}
	g.delay(id, until, request.Awaiting)
	g.flows[router].Awaiting++
	return true
}

// endAwaiting asks again about the requests that wait for a replica of a router.
func (g *gateway) endAwaiting(router int) {
	if g.flows[router].Awaiting == 0 {
		return
	}
	for id := range g.Requests.All {
		if q := &g.Requests.All[id]; q.Phase() == request.Awaiting && g.routerFor(q) == router {
			g.events.Move(g.delays.bySlot[id], g.Now)
		}
	}
}

// stopAwaiting counts a request that waits for a replica no longer.
func (g *gateway) stopAwaiting(q *request.Request) {
	if q.Phase() == request.Awaiting {
		g.flows[g.routerFor(q)].Awaiting--
	}
}

// routerFor is the router of a request.
func (g *gateway) routerFor(q *request.Request) int {
	if g.routerOf == nil {
		return 0
	}
	return g.routerOf[q.Info.Model]
}

// serves reports whether a router may choose some replica.
func (g *gateway) serves(router int) bool {
	for i := range g.cluster.Replicas {
		if g.cluster.Replicas[i].Config.Router == router && (g.view.Down == nil || !g.view.Down[i]) {
			return true
		}
	}
	return false
}

// lose ends a request whose replica is taken away before it is served.
func (g *gateway) lose(id int32) {
	q := &g.Requests.All[id]
	if g.policies.Routing.Responses != nil {
		g.policies.Routing.Responses.Finished(&q.Info, int(q.Replica))
	}
	g.finishBy = max(g.finishBy, g.Now)
	g.Metrics.Failed(g.Now, q)
	g.end(id, g.Now, request.EndFailed)
	g.release()
}
