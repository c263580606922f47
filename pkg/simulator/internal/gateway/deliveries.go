// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/queue"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/run"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// delivery is something of an answer that reaches the gateway at a time: its
// first token, or its end, whose last token came at another time. What arrives
// in one nanosecond is reported in order of the requests' numbers.
type delivery struct {
	at, last simtime.Time
	number   int
	id       int32
	endpoint int32
	ends     bool
}

func (d delivery) Before(e delivery) bool {
	switch {
	case d.at != e.at:
		return d.at < e.at
	case d.number != e.number:
		return d.number < e.number
	default:
		return !d.ends && e.ends
	}
}

// counts says whether the request is still there: its slot may be another's by now.
func (d delivery) counts(s *run.State) bool {
	q := &s.Requests.All[d.id]
	return q.Phase() != request.None && q.Info.ID == d.number
}

// deliveries is a binary heap with the earliest delivery in front.
type deliveries []delivery

func (h *deliveries) push(d delivery) {
	*h = append(*h, d)
	queue.SiftUp(*h)
}

func (h *deliveries) pop() delivery {
	first := (*h)[0]
	last := len(*h) - 1
	(*h)[0] = (*h)[last]
	*h = (*h)[:last]
	queue.SiftDown(*h)
	return first
}

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
	g.finishBy = max(g.finishBy, at)
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
			if g.Policies.Routing.Responses != nil {
				g.Policies.Routing.Responses.Finished(&q.Info, int(q.Replica))
			}
			g.finish(d.id, d.last, d.at)
		default:
			g.Policies.Routing.Responses.FirstToken(&q.Info, int(d.endpoint))
		}
	}
}

// finish ends a request whose last token reached the gateway, and whose stream
// was closed there at another time.
func (g *Gateway) finish(id int32, last, at simtime.Time) {
	q := &g.Requests.All[id]
	g.countCompletion(q, g.Metrics.Completed(last, at, q))
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
	g.countEnd(id)
	g.LastEnd = max(g.LastEnd, at)
	g.InFlight--
	if g.Held.sent != nil {
		delete(g.Held.sent, g.Requests.All[id].Info.ID)
	}
	g.stopTimeOut(id)
	g.Requests.Release(id)
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

// hear tells the listener of an end.
func (g *Gateway) hear(id int, at simtime.Time, how workload.Ending) {
	if g.Listener != nil {
		g.Listener.Ended(workload.End{ID: id, At: at, Ending: how})
		g.heard = true
	}
}

// NextDelivery is when something reaches the gateway that may bring a request; Never
// if no request waits for that.
func (g *Gateway) NextDelivery() simtime.Time {
	if g.Listener == nil || len(g.deliveries) == 0 {
		return simtime.Never
	}
	return g.deliveries[0].at + 1
}

// Heard says that the listener has an end.
func (g *Gateway) Heard() bool { return g.heard }

// StopListening ends what the listener hears, as no more requests arrive.
func (g *Gateway) StopListening() { g.Listener = nil }

// AwaitEnd forgets the ends that the listener has.
func (g *Gateway) AwaitEnd() { g.heard = false }
