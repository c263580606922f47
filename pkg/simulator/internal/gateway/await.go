// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// awaits lets a request wait at the gateway for a replica to serve, if none does, and
// rejects it when its time is over. It reports whether the request is dealt with.
func (g *Gateway) awaits(id int32) bool {
	q := &g.Requests.All[id]
	router := g.routerFor(q)
	if g.Patience == 0 || g.serves(router) {
		return false
	}
	until := Deadline(q.Info.Arrival, g.Patience)
	if until <= g.Now {
		g.reject(id, simulator.NoPool, simulator.Expired)
		return true
	}
	g.delay(id, until, request.Awaiting)
	g.Flows[router].Awaiting++
	return true
}

// EndAwaiting asks again about the requests that wait for a replica of a router.
func (g *Gateway) EndAwaiting(router int) {
	if g.Flows[router].Awaiting == 0 {
		return
	}
	for id := range g.Requests.All {
		if q := &g.Requests.All[id]; q.Phase() == request.Awaiting && g.routerFor(q) == router {
			g.events.Move(g.Delays.BySlot[id], g.Now)
		}
	}
}

// stopAwaiting counts a request that waits for a replica no longer.
func (g *Gateway) stopAwaiting(q *request.Request) {
	if q.Phase() == request.Awaiting {
		g.Flows[g.routerFor(q)].Awaiting--
	}
}

// routerFor is the router of a request.
func (g *Gateway) routerFor(q *request.Request) int {
	if g.RouterOf == nil {
		return 0
	}
	return g.RouterOf[q.Info.Model]
}

// serves reports whether a router may choose some replica.
func (g *Gateway) serves(router int) bool {
	for i := range g.cluster.Replicas {
		if g.cluster.Replicas[i].Config.Router == router && (g.View.Down == nil || !g.View.Down[i]) {
			return true
		}
	}
	return false
}

// Lose ends a request whose replica is taken away before it is served.
func (g *Gateway) Lose(id int32) {
	q := &g.Requests.All[id]
	if g.Policies.Routing.Responses != nil {
		g.Policies.Routing.Responses.Finished(&q.Info, int(q.Replica))
	}
	g.finishBy = max(g.finishBy, g.Now)
	g.Metrics.Failed(g.Now, q)
	g.End(id, g.Now, request.EndFailed)
	g.Release()
}
