// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/events"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// timeOuts are the times at which clients give up requests in flight.
type timeOuts struct {
	BySlot []*timeOut // by the slots of the requests; nil where none has been used
}

// timeOut is when the client of a request gives up.
type timeOut struct {
	event events.Event
	// Last is when the client gives up if the last token is not there; Never if the
	// client waits for it without end.
	Last simtime.Time
}

// startTimeOut lets the client of a request in flight give up in time.
func (g *Gateway) startTimeOut(id int32, w *workload.Request) {
	if w.FirstTokenTimeout == 0 && w.Timeout == 0 {
		return
	}
	if q := &g.Requests.All[id]; q.Phase() == request.None || q.Info.ID != w.ID {
		return // it was rejected
	}
	for int(id) >= len(g.TimeOuts.BySlot) {
		g.TimeOuts.BySlot = append(g.TimeOuts.BySlot, nil)
	}
	t := g.TimeOuts.BySlot[id]
	if t == nil {
		t = &timeOut{event: events.Idle(events.RequestTimesOut, 0)}
		g.TimeOuts.BySlot[id] = t
	}
	t.event.Sequence, t.event.Request = w.ID, id
	t.Last = Deadline(w.Arrival, w.Timeout)
	g.events.Move(&t.event, min(Deadline(w.Arrival, w.FirstTokenTimeout), t.Last))
}

// Deadline is a time so long after another; Never where that is 0.
func Deadline(from simtime.Time, after time.Duration) simtime.Time {
	if after == 0 || simtime.Time(after) > simtime.Never-from {
		return simtime.Never
	}
	return from.Add(after)
}

// stopTimeOut forgets the time-out of a request that has ended.
func (g *Gateway) stopTimeOut(id int32) {
	if int(id) < len(g.TimeOuts.BySlot) && g.TimeOuts.BySlot[id] != nil {
		g.events.Move(&g.TimeOuts.BySlot[id].event, simtime.Never)
	}
}

// HasFirstToken reports whether the first token of an answer reached the gateway before
// a time, as far as the replica of the request is advanced.
func (g *Gateway) HasFirstToken(q *request.Request, at simtime.Time) bool {
	return q.FirstToken != request.Unset && q.FirstToken < at
}

// TimeOut ends a request that its client gives up, wherever it stands.
func (g *Gateway) TimeOut(id int32) {
	q := &g.Requests.All[id]
	switch q.Phase() {
	case request.Delayed, request.Awaiting:
		g.cancelDelay(id)
	case request.AtGateway:
		g.cancelHeld(q)
	default:
		g.takeOff(id)
		if g.Policies.Routing.Responses != nil {
			g.Policies.Routing.Responses.Finished(&q.Info, int(q.Replica))
		}
	}
	if !q.Accepted() {
		q.Cell = g.Metrics.Arrived(g.Now, simulator.NoPool, q)
	}
	g.Metrics.TimedOut(g.Now, q)
	g.End(id, g.Now, request.EndTimedOut)
	g.settle()
}

// cancelHeld takes a request back that the router holds.
func (g *Gateway) cancelHeld(q *request.Request) {
	g.Held.Queue.Cancel(g.Now, &q.Info)
	delete(g.Held.Requests, q.Info.ID)
	q.MoveTo(request.None)
	g.Series.Keep(g.Now, -1)
	g.cluster.Serving--
	g.finishBy = max(g.finishBy, g.Now)
}
