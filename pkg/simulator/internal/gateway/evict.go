// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/simtime"
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
	id := g.RequestSent(number)
	q := &g.Requests.All[id]
	g.takeOff(id)
	g.Metrics.Evicted(g.Now, q)
	if g.onEvicted != nil {
		g.onEvicted(number)
	}
	if g.Policies.Routing.Responses != nil {
		g.Policies.Routing.Responses.Finished(&q.Info, int(q.Replica))
	}
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
	g.cancelDeliveries(q)
}

// RequestSent finds a request by its number that an endpoint has.
func (g *Gateway) RequestSent(number int) int32 {
	id, ok := g.Held.sent[number]
	if ok && g.Requests.All[id].Phase() != request.AtGateway {
		return id
	}
	panic(fmt.Sprintf("simulator: the router ends request %d at %v, which no endpoint has", number, g.Now))
}

// cancelDeliveries lets nothing more of an answer reach the gateway: what is on its
// way is dropped when it comes.
func (g *Gateway) cancelDeliveries(q *request.Request) {
	if q.Phase() == request.Leaving {
		g.finishBy, g.finishStale = g.Now, true
		return
	}
	g.finishBy = max(g.finishBy, g.Now)
}

// StreamsEnd is when the streams of all requests have ended whose tokens the engines
// have given.
func (g *Gateway) StreamsEnd() simtime.Time {
	if g.finishStale {
		g.finishStale = false
		for _, d := range g.deliveries {
			if d.ends && d.counts(g.State) {
				g.finishBy = max(g.finishBy, d.at)
			}
		}
	}
	return g.finishBy
}
