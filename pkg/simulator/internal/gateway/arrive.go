// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/engine"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// Arrive routes a request at the time of its arrival and sends it on its way.
func (g *Gateway) Arrive(w *workload.Request) { g.ArriveWith(w, nil) }

// ArriveWith is Arrive for a request with terms, which may be nil.
func (g *Gateway) ArriveWith(w *workload.Request, terms *request.Terms) {
	g.Arrived++
	if g.onArrived != nil {
		g.onArrived(w.Arrival)
	}
	id := g.Requests.Take()
	q := &g.Requests.All[id]
	q.Info = policy.Request{
		ID: w.ID, Arrival: w.Arrival, Prompt: w.Prompt, Tokens: w.Prompt.Tokens(),
		Tenant: w.Tenant, Class: w.Class, Priority: w.Priority,
		Session: w.Session, Adapter: int32(w.Adapter), Headers: int32(w.Headers),
		Model: int32(w.Model),
	}
	g.findRouter(w, &q.Info)
	if g.routesAgain {
		q.Info.Prompt.Own = 0 // the request itself may come with it again
	}
	promised := g.Metrics.Target(w.Tenant, w.Class)
	q.Info.TTFT, q.Info.TPOT = promised.TTFT, promised.TPOT
	q.Replica, q.RoutedAt = simulator.NoReplica, w.Arrival
	q.LastToken, q.FirstToken, q.ScheduledAt = request.Unset, request.Unset, request.Unset
	q.Retry = w.Attempt > 0
	output := int32(max(w.OutputTokens, 1))
	q.Prompt = int32(q.Info.Tokens)
	q.Total, q.Finish = q.Prompt, q.Prompt+output
	q.Answer = prompt.Extent{Source: w.Response, Start: w.ResponseStart, Tokens: output}
	if terms != nil {
		q.Terms = terms
		q.Answer.Tokens -= int32(prompt.Prompt{Extents: terms.Rest}.Tokens())
	}
	g.countArrival(q)
	g.prioritize(&q.Info)
	g.admit(id)
	if w.FirstTokenTimeout != 0 || w.Timeout != 0 {
		g.startTimeOut(id, w)
	}
	g.Now = w.Arrival
	g.settle()
}

// findRouter gives a request that arrives its router, its turn there, and the model that serves it.
func (g *Gateway) findRouter(w *workload.Request, info *policy.Request) {
	switch {
	case g.byRoute != nil:
		router, adapter := g.byRoute.Of(w)
		info.Router, info.Adapter = int32(router), int32(adapter)
	case g.routerOf != nil:
		info.Router = int32(g.routerOf[w.Model])
	}
	info.Turn = g.turns[info.Router]
	g.turns[info.Router]++
}

// prioritize asks for the priority of a request that arrives. The view is up to now.
func (g *Gateway) prioritize(info *policy.Request) {
	if t := g.Policies.Traffic; t != nil {
		t.Arrive(g.Now, info)
	}
	if p := g.Policies.Priority; p != nil {
		info.Priority, info.Hints = p.Prioritize(g.Show(), info)
	}
}

// admit asks whether a request may enter, and sends it on its way. The view is up to
// now.
func (g *Gateway) admit(id int32) {
	if g.awaits(id) {
		return
	}
	info := &g.Requests.All[id].Info
	if a := g.Policies.Admission; a != nil {
		verdict := a.Admit(g.Show(), info)
		switch {
		case verdict.Rejection != nil:
			g.checkRefusal(info.ID, verdict.Rejection)
			g.reject(id, simulator.NoPool, refusal(verdict.Rejection))
			return
		case verdict.Until != 0:
			g.delay(id, verdict.Until, request.Delayed)
			return
		}
		info.Hints = info.Hints.With(verdict.Hints)
	}
	g.Requests.All[id].RoutedAt = g.Now
	g.countAdmission(g.Now, &g.Requests.All[id])
	to, err := g.route(info)
	if g.Held.keeps(err) {
		g.hold(id)
	} else {
		g.forward(id, to, err)
	}
}

// EndDelay asks the admission again about a request.
func (g *Gateway) EndDelay(id int32) {
	g.undelay(id)
	g.admit(id)
	g.settle()
}

// settle lets the router act on what it holds and on what it has sent, after a request
// has moved at the gateway.
func (g *Gateway) settle() {
	g.Release()
	g.EvictRequested()
	for _, o := range g.Observers {
		o.Settled(simulator.NoReplica)
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

// routeAgain asks the router where a request goes that has lost its replica. It
// keeps what it has given, and computes that again.
func (g *Gateway) routeAgain(id int32) {
	q := &g.Requests.All[id]
	g.finished(q, q.Replica)
	q.RoutedAt = g.Now
	to, err := g.route(&q.Info)
	if g.Held.keeps(err) {
		g.hold(id)
	} else {
		g.forwardAgain(id, to, err)
	}
	g.Release()
}

// Fail ends the ranks of a replica with all that they hold. Whoever depended on them is
// routed again, in order of arrival.
func (g *Gateway) Fail(ranks []engine.Replica) {
	var lost []int32
	for i := range ranks {
		lost = append(lost, g.cluster.Stop(&ranks[i])...)
	}
	if len(ranks) > 1 {
		g.cluster.SortByArrival(lost)
	}
	for _, id := range lost {
		g.routeAgain(id)
	}
	g.EvictRequested()
}

// Lose ends a request whose replica is taken away before it is served.
func (g *Gateway) Lose(id int32) {
	q := &g.Requests.All[id]
	g.finished(q, q.Replica)
	g.lastsUntil(g.Now)
	g.Metrics.Failed(g.Now, q)
	g.End(id, g.Now, request.EndFailed)
	g.Release()
}

// startTimeOut lets the client of a request give up in time, if it was not rejected.
func (g *Gateway) startTimeOut(id int32, w *workload.Request) {
	if q := &g.Requests.All[id]; q.Phase() != request.None && q.Info.ID == w.ID {
		g.timeOuts.start(id, w)
	}
}

// WaitsOn says whether the client of a request that times out at a time goes on to wait, for
// the last token, as the first one came before. It then times out later.
func (g *Gateway) WaitsOn(id int32, at simtime.Time) bool {
	first, last := g.Requests.All[id].FirstToken, g.timeOuts.last[id]
	if first == request.Unset || first >= at || at >= last {
		return false
	}
	g.timeOuts.move(id, last)
	return true
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
		g.finished(q, q.Replica)
	}
	if !q.Accepted() {
		q.Cell = g.Metrics.Arrived(g.Now, simulator.NoPool, q)
	}
	g.Metrics.TimedOut(g.Now, q)
	g.End(id, g.Now, request.EndTimedOut)
	g.settle()
}
