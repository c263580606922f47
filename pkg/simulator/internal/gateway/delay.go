// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/events"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// delays are the requests that the admission makes wait. Each is in flight, and at no
// replica.
type delays struct {
	BySlot []*events.Event // when the admission is asked again, by the slots of the requests
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
	if t := g.Policies.Traffic; t != nil {
		t.Delay(&q.Info, +1)
	}
	for int(id) >= len(g.Delays.BySlot) {
		g.Delays.BySlot = append(g.Delays.BySlot, nil)
	}
	e := g.Delays.BySlot[id]
	if e == nil {
		idle := events.Idle(events.DelayEnds, 0)
		e = &idle
		e.Request = id
		g.Delays.BySlot[id] = e
	}
	e.Sequence = q.Info.ID
	g.events.Move(e, until)
}

// EndDelay asks the admission again about a request.
func (g *Gateway) EndDelay(id int32) {
	g.undelay(id)
	g.admit(id)
	g.settle()
}

// cancelDelay takes a request back that the admission makes wait.
func (g *Gateway) cancelDelay(id int32) {
	g.undelay(id)
	g.InFlight++ // until it ends
	g.finishBy = max(g.finishBy, g.Now)
}

// undelay lets a request wait no longer.
func (g *Gateway) undelay(id int32) {
	q := &g.Requests.All[id]
	g.Series.Keep(g.Now, -1)
	g.events.Move(g.Delays.BySlot[id], simtime.Never)
	g.stopAwaiting(q)
	q.MoveTo(request.None)
	g.InFlight--
	g.cluster.Serving--
	if t := g.Policies.Traffic; t != nil {
		t.Delay(&q.Info, -1)
	}
}

// recordAdmissionDelay records how long the admission made a request wait that goes to
// a replica for the first time.
func (g *Gateway) recordAdmissionDelay(q *request.Request) {
	if q.RoutedAt > q.Info.Arrival {
		g.Metrics.Delayed(g.Now, q)
	}
}
