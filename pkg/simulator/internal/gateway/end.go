// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/measure"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// DeliverFirstToken lets the first token that an endpoint gives of an answer reach
// the gateway.
func (g *Gateway) DeliverFirstToken(id int32, q *request.Request, at simtime.Time) {
	if g.Policies.Routing.Responses != nil {
		g.deliveries.push(delivery{at: at, number: q.Info.ID, id: id, endpoint: q.Replica})
	}
}

// DeliverEnd lets the last token of an answer reach the gateway, and then the end of its
// stream.
func (g *Gateway) DeliverEnd(id int32, q *request.Request, last, at simtime.Time) {
	g.lastsUntil(at)
	if g.Policies.Routing.Responses == nil && g.Policies.Traffic == nil && g.Listener == nil && at == g.Now {
		g.finish(id, last, at)
		return
	}
	g.deliveries.push(delivery{at: at, number: q.Info.ID, id: id, last: last, ends: true})
}

// Deliver lets everything reach the gateway that does so before a time.
func (g *Gateway) Deliver(until simtime.Time) {
	for len(g.deliveries) > 0 && g.deliveries[0].at < until {
		d := g.deliveries.pop()
		if !d.counts(g.State) {
			continue
		}
		q := &g.Requests.All[d.id]
		switch {
		case d.ends:
			if g.Policies.Routing.Usage != nil {
				g.Policies.Routing.Usage.Used(d.at, &q.Info, int(q.Generated()))
			}
			g.finished(q, q.Replica)
			g.finish(d.id, d.last, d.at)
		default:
			if l := g.Policies.Routing.FirstTokens; l != nil {
				l.FirstTokenAt(d.at, &q.Info)
			}
			g.Policies.Routing.Responses.FirstToken(&q.Info, g.cluster.Front(int(d.endpoint)))
		}
	}
}

// DeliverNext lets what reaches the gateway first do so, if that is before the next
// event of the replicas and before a time.
func (g *Gateway) DeliverNext(event, until simtime.Time) bool {
	if len(g.deliveries) == 0 || g.deliveries[0].at >= min(event, until) {
		return false
	}
	g.Now = g.deliveries[0].at
	g.Deliver(g.Now + 1)
	return true
}

// finish ends a request whose last token reached the gateway, and whose stream
// was closed there at another time.
func (g *Gateway) finish(id int32, last, at simtime.Time) {
	q := &g.Requests.All[id]
	g.countCompletion(at, q, g.Metrics.Completed(last, at, q))
	if g.onCompleted != nil {
		g.onCompleted(q.Completion(last))
	}
	if g.onEnded != nil {
		e := g.endOf(q, at, request.EndCompleted)
		e.LastToken, e.OutputTokens = last, int(q.Generated())
		g.onEnded(e)
	}
	g.End(id, at, request.EndCompleted)
}

// End frees the slot of a request that has ended.
func (g *Gateway) End(id int32, at simtime.Time, how request.Ending) {
	for _, o := range g.Observers {
		o.Ended(id, at, how)
	}
	if g.onEnded != nil && how != request.EndCompleted {
		g.onEnded(g.endOf(&g.Requests.All[id], at, how))
	}
	if how != request.EndUnfinished {
		g.hear(g.Requests.All[id].Info.ID, at, how.HeardAs())
	}
	g.countEnd(&g.Requests.All[id])
	g.LastEnd = max(g.LastEnd, at)
	g.InFlight--
	delete(g.Held.sent, g.Requests.All[id].Info.ID)
	g.timeOuts.stop(id)
	g.Requests.Release(id)
}

// reject ends a request that no engine will see.
func (g *Gateway) reject(id int32, pool int, reason simulator.Reason) {
	info := &g.Requests.All[id].Info
	g.Metrics.Rejected(g.Now, pool, &g.Requests.All[id], reason)
	g.countRejection(g.Now, &g.Requests.All[id])
	for _, o := range g.Observers {
		o.Rejected(info, reason)
	}
	if g.onRejected != nil {
		g.onRejected(info.ID, reason)
	}
	if g.onEnded != nil {
		e := g.endAtGateway(&g.Requests.All[id], pool)
		e.Ended, e.Reason = "rejected", reason
		g.onEnded(e)
	}
	g.hear(info.ID, g.Now, workload.Rejected)
	g.lastsUntil(g.Now)
	g.LastEnd = max(g.LastEnd, g.Now)
	g.timeOuts.stop(id)
	g.Requests.Release(id)
}

// endOf describes a request that ends after some endpoint had it, or that was
// kept back for one until the run ended.
func (g *Gateway) endOf(q *request.Request, at simtime.Time, how request.Ending) simulator.RequestEnd {
	e := g.endAtGateway(q, simulator.NoPool)
	e.End, e.Ended, e.Measured = at, how.String(), q.Cell != measure.Discard
	if how == request.EndEvicted {
		e.Reason = simulator.Evicted
	}
	if q.Accepted() {
		e.Pool, e.Replica = g.cluster.Replicas[q.Replica].Pool, int(q.Replica)
	}
	e.FirstToken, e.Scheduled = q.FirstToken, q.Scheduled()
	if q.FirstToken >= 0 {
		e.Entered = q.Entered
	}
	e.Overtaken, e.Blocked = q.Overtaken, q.Blocked
	e.CachedTokens, e.TierTokens, e.RemoteTokens, e.Believed = int(q.Cached), q.TierTokens, int(q.Remote), q.Believed
	return e
}

// endAtGateway describes a request that no endpoint accepted.
func (g *Gateway) endAtGateway(q *request.Request, pool int) simulator.RequestEnd {
	return simulator.RequestEnd{
		ID: q.Info.ID, Tenant: q.Info.Tenant, Class: q.Info.Class, Model: int(q.Info.Model), Pool: pool, Replica: simulator.NoReplica,
		Arrival: q.Info.Arrival, FirstToken: request.Unset, End: g.Now, PromptTokens: int(q.Prompt),
		Measured: q.Info.Arrival >= g.Metrics.WarmUp,
	}
}
