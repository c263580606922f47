// SPDX-License-Identifier: Apache-2.0

package simulation

import "windtunnel.dev/windtunnel/pkg/simulator"

// awaits lets a request wait at the gateway for a replica to serve, if none does, and
// rejects it when its time is over. It reports whether the request is dealt with.
func (g *gateway) awaits(id int32) bool {
	q := &g.requests.all[id]
	router := g.routerFor(q)
	if g.patience == 0 || g.serves(router) {
		return false
	}
	until := deadline(q.info.Arrival, g.patience)
	if until <= g.now {
		g.reject(id, simulator.NoPool, simulator.Expired)
		return true
	}
	g.delay(id, until, phaseAwaiting)
	g.flows[router].Awaiting++
	return true
}

// endAwaiting asks again about the requests that wait for a replica of a router.
func (g *gateway) endAwaiting(router int) {
	if g.flows[router].Awaiting == 0 {
		return
	}
	for id := range g.requests.all {
		if q := &g.requests.all[id]; q.Phase() == phaseAwaiting && g.routerFor(q) == router {
			g.sim.events.Move(g.delays.bySlot[id], g.now)
		}
	}
}

// stopAwaiting counts a request that waits for a replica no longer.
func (g *gateway) stopAwaiting(q *request) {
	if q.Phase() == phaseAwaiting {
		g.flows[g.routerFor(q)].Awaiting--
	}
}

// routerFor is the router of a request.
func (g *gateway) routerFor(q *request) int {
	if g.routerOf == nil {
		return 0
	}
	return g.routerOf[q.info.Model]
}

// serves reports whether a router may choose some replica.
func (g *gateway) serves(router int) bool {
	for i := range g.cluster.replicas {
		if g.cluster.replicas[i].config.Router == router && (g.view.Down == nil || !g.view.Down[i]) {
			return true
		}
	}
	return false
}

// lose ends a request whose replica is taken away before it is served.
func (g *gateway) lose(id int32) {
	q := &g.requests.all[id]
	if g.policies.Routing.Responses != nil {
		g.policies.Routing.Responses.Finished(&q.info, int(q.replica))
	}
	g.finishBy = max(g.finishBy, g.now)
	g.metrics.failed(g.now, q)
	g.end(id, g.now, endFailed)
	g.release()
}
