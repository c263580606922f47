// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// awaits lets a request wait at the gateway for a replica to serve, if none does, and
// rejects it when its time is over. It reports whether the request is dealt with.
func (g *Gateway) awaits(id int32) bool {
	q := &g.Requests.All[id]
	router := int(q.Info.Router)
	if g.patience == 0 || g.serves(router) {
		return false
	}
	until := Deadline(q.Info.Arrival, g.patience)
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
		if q := &g.Requests.All[id]; q.Phase() == request.Awaiting && int(q.Info.Router) == router {
			g.Delays.move(int32(id), g.Now)
		}
	}
}

// stopAwaiting counts a request that waits for a replica no longer.
func (g *Gateway) stopAwaiting(q *request.Request) {
	if q.Phase() == request.Awaiting {
		g.Flows[q.Info.Router].Awaiting--
	}
}

// delay lets a request wait, delayed or awaiting a replica, until the admission is asked again.
func (g *Gateway) delay(id int32, until simtime.Time, as request.Phase) {
	q := &g.Requests.All[id]
	if until <= g.Now || until == simtime.Never {
		panic(fmt.Sprintf("simulator: the admission delays request %d at %v until %v", q.Info.ID, g.Now, until))
	}
	q.MoveTo(as)
	g.Series.Keep(g.Now, +1)
	g.InFlight++
	g.cluster.Serving++
	g.countDelay(q, +1)
	g.Delays.set(id, q.Info.ID, until)
}

// cancelDelay takes a request back that the admission makes wait.
func (g *Gateway) cancelDelay(id int32) {
	g.undelay(id)
	g.InFlight++ // until it ends
	g.lastsUntil(g.Now)
}

// undelay lets a request wait no longer.
func (g *Gateway) undelay(id int32) {
	q := &g.Requests.All[id]
	g.Series.Keep(g.Now, -1)
	g.Delays.stop(id)
	g.stopAwaiting(q)
	q.MoveTo(request.None)
	g.InFlight--
	g.cluster.Serving--
	g.countDelay(q, -1)
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

// cancelHeld takes a request back that the router holds.
func (g *Gateway) cancelHeld(q *request.Request) {
	g.Held.Queue.Cancel(g.Now, &q.Info)
	delete(g.Held.Requests, q.Info.ID)
	q.MoveTo(request.None)
	g.Series.Keep(g.Now, -1)
	g.cluster.Serving--
	g.lastsUntil(g.Now)
}

// Queued counts the requests that a router keeps back.
func (g *Gateway) Queued(router int) int {
	n := 0
	for _, id := range g.Held.Requests {
		if int(g.Requests.All[id].Info.Router) == router {
			n++
		}
	}
	return n
}
