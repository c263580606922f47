// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// EvictRequested ends the requests that the router wants ended now.
func (g *Gateway) EvictRequested() {
	evictor := g.Policies.Routing.Evictor
	if evictor == nil {
		return
	}
	now := g.Now
	for {
		number, ok := evictor.Evict(now)
		if !ok {
			return
		}
		g.evict(number)
		g.Now = now
	}
}

// evict ends a request that was sent to an endpoint. The gateway answers it.
func (g *Gateway) evict(number int) {
	id := g.requestSent(number)
	q := &g.Requests.All[id]
	g.takeOff(id)
	g.Metrics.Evicted(g.Now, q)
	if g.onEvicted != nil {
		g.onEvicted(number)
	}
	g.finished(q, q.Replica)
	g.End(id, g.Now, request.EndEvicted)
}

// takeOff takes a request off the replicas. The engine gives the request's place and
// blocks up at once. A step that it runs in lasts as long as it was going to, and what
// the step computes of the request is lost: as engines look at aborts between steps, no
// other request gets the place and the blocks before the step ends. Only scrapes show it
// sooner.
func (g *Gateway) takeOff(id int32) {
	q := &g.Requests.All[id]
	if q.Phase() != request.Leaving {
		g.cluster.TakeOffReplicas(nil, id)
	}
	g.answers.cancel(g.Now, q)
}

// requestSent finds a request by its number that an endpoint has.
func (g *Gateway) requestSent(number int) int32 {
	id, ok := g.Held.sent[number]
	if ok && g.Requests.All[id].Phase() != request.AtGateway {
		return id
	}
	panic(fmt.Sprintf("simulator: the router ends request %d at %v, which no endpoint has", number, g.Now))
}
