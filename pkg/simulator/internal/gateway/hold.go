// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"errors"
	"fmt"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/events"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// gatewayQueue is where requests wait that the router keeps back.
type gatewayQueue struct {
	Queue    policy.Queue  // nil where the router holds none
	Requests map[int]int32 // the requests by their numbers
	// sent are the requests that replicas have, by their numbers; nil where no
	// policy evicts any.
	sent map[int]int32
	// WakeUp is when the router is to be asked to release some; Never while it
	// keeps none.
	WakeUp events.Event
}

func newGatewayQueue(r *policy.Routing) gatewayQueue {
	g := gatewayQueue{Queue: r.Queue}
	if r.Queue != nil {
		g.Requests = map[int]int32{}
	}
	if r.Evictor != nil {
		g.sent = map[int]int32{}
	}
	return g
}

// note remembers a request that goes to a replica for the first time.
func (g *gatewayQueue) note(id int32, q *request.Request) {
	if g.sent != nil {
		g.sent[q.Info.ID] = id
	}
}

// isHeld says whether the router's answer is that it keeps the request.
func (g *Gateway) isHeld(err error) bool {
	return g.Held.Queue != nil && errors.Is(err, policy.ErrHeld)
}

// hold lets a request wait at the gateway. It is in flight, and at no replica.
func (g *Gateway) hold(id int32) {
	q := &g.Requests.All[id]
	q.MoveTo(request.AtGateway)
	g.Series.Keep(g.Now, +1)
	g.Held.Requests[q.Info.ID] = id
	g.cluster.Serving++
	if !q.Accepted() {
		g.InFlight++
	}
}

// Release lets those go that the router has kept back and lets go now.
func (g *Gateway) Release() {
	queue := &g.Held
	if queue.Queue == nil {
		return
	}
	now := g.Now
	for {
		released, ok := queue.Queue.Release(g.Show())
		g.View.Changed = g.changed[:0]
		if !ok {
			break
		}
		g.sendReleased(released)
		g.Now = now
	}
	if len(queue.Requests) == 0 {
		g.events.Move(&queue.WakeUp, simtime.Never)
		return
	}
	at, ok := queue.Queue.Wake(now)
	if !ok || at < now {
		panic(fmt.Sprintf("simulator: the router keeps %d requests at %v and wakes at %v (%t)", len(queue.Requests), now, at, ok))
	}
	g.events.Move(&queue.WakeUp, at)
}

// sendReleased sends a request on its way that the router has kept back, or ends it.
func (g *Gateway) sendReleased(released policy.Released) {
	id, ok := g.Held.Requests[released.Request]
	if !ok {
		panic(fmt.Sprintf("simulator: the router releases request %d at %v, which it does not keep", released.Request, g.Now))
	}
	delete(g.Held.Requests, released.Request)
	q := &g.Requests.All[id]
	q.MoveTo(request.None)
	g.Series.Keep(g.Now, -1)
	g.cluster.Serving--
	to, err := g.checkDecision(released.Request, released.Decision, released.Err)
	if q.Accepted() {
		g.forwardAgain(id, to, err)
		return
	}
	g.InFlight--
	g.forward(id, to, err)
}

// recordGatewayQueueing records how long the router kept a request back that goes to a
// replica now.
func (g *Gateway) recordGatewayQueueing(q *request.Request) {
	if g.Held.Queue != nil && g.Held.Queue.Queues(&q.Info) {
		g.Metrics.Kept(g.Now, q)
	}
}

// Queued counts the requests that a router keeps back.
func (g *Gateway) Queued(router int) int {
	n := 0
	for _, id := range g.Held.Requests {
		if g.routerFor(&g.Requests.All[id]) == router {
			n++
		}
	}
	return n
}
