// SPDX-License-Identifier: Apache-2.0

package simulation

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
	bySlot []*timeOut // by the slots of the requests; nil where none has been used
}

// timeOut is when the client of a request gives up.
type timeOut struct {
	event events.Event
	// last is when the client gives up if the last token is not there; Never if the
	// client waits for it without end.
	last simtime.Time
}

// startTimeOut lets the client of a request in flight give up in time.
func (g *gateway) startTimeOut(id int32, w *workload.Request) {
	if w.FirstTokenTimeout == 0 && w.Timeout == 0 {
		return
	}
	if q := &g.Requests.All[id]; q.Phase() == request.None || q.Info.ID != w.ID {
		return // it was rejected
	}
	for int(id) >= len(g.timeOuts.bySlot) {
		g.timeOuts.bySlot = append(g.timeOuts.bySlot, nil)
	}
	t := g.timeOuts.bySlot[id]
	if t == nil {
		t = &timeOut{event: events.Idle(events.RequestTimesOut, 0)}
		g.timeOuts.bySlot[id] = t
	}
	t.event.Sequence, t.event.Request = w.ID, id
	t.last = deadline(w.Arrival, w.Timeout)
	g.events.Move(&t.event, min(deadline(w.Arrival, w.FirstTokenTimeout), t.last))
}

// deadline is a time so long after another; Never where that is 0.
func deadline(from simtime.Time, after time.Duration) simtime.Time {
	if after == 0 || simtime.Time(after) > simtime.Never-from {
		return simtime.Never
	}
	return from.Add(after)
}

// stopTimeOut forgets the time-out of a request that has ended.
func (g *gateway) stopTimeOut(id int32) {
	if int(id) < len(g.timeOuts.bySlot) && g.timeOuts.bySlot[id] != nil {
		g.events.Move(&g.timeOuts.bySlot[id].event, simtime.Never)
	}
}

// hasFirstToken reports whether the first token of an answer reached the gateway before
// a time, as far as the replica of the request is advanced.
func (g *gateway) hasFirstToken(q *request.Request, at simtime.Time) bool {
	return q.FirstToken != request.Unset && q.FirstToken < at
}

// timeOut ends a request that its client gives up, wherever it stands.
func (g *gateway) timeOut(id int32) {
	q := &g.Requests.All[id]
	switch q.Phase() {
	case request.Delayed, request.Awaiting:
		g.cancelDelay(id)
	case request.AtGateway:
		g.cancelHeld(q)
	default:
		g.takeOff(id)
		if g.policies.Routing.Responses != nil {
			g.policies.Routing.Responses.Finished(&q.Info, int(q.Replica))
		}
	}
	if !q.Accepted() {
		q.Cell = g.Metrics.Arrived(g.Now, simulator.NoPool, q)
	}
	g.Metrics.TimedOut(g.Now, q)
	g.end(id, g.Now, request.EndTimedOut)
	g.settle()
}

// cancelHeld takes a request back that the router holds.
func (g *gateway) cancelHeld(q *request.Request) {
	g.held.queue.Cancel(g.Now, &q.Info)
	delete(g.held.requests, q.Info.ID)
	q.MoveTo(request.None)
	g.Series.Keep(g.Now, -1)
	g.cluster.Serving--
	g.finishBy = max(g.finishBy, g.Now)
}
