// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// countArrival counts a request that reaches the gateway, for scalers.
func (g *Gateway) countArrival(q *request.Request) {
	if g.Flows != nil {
		g.Flows[g.routerFor(q)].Arrived++
	}
}

// countAdmission counts a request that enters.
func (g *Gateway) countAdmission(id int32) {
	if t := g.Policies.Traffic; t != nil {
		q := &g.Requests.All[id]
		t.Admit(g.Now, &q.Info)
		q.Counted = true
	}
}

// countRejection counts a request that is turned away.
func (g *Gateway) countRejection(id int32) {
	g.countEnd(id)
	if g.Flows != nil {
		g.Flows[g.routerFor(&g.Requests.All[id])].Rejected++
	}
	if t := g.Policies.Traffic; t != nil {
		t.Reject(g.Now, &g.Requests.All[id].Info)
	}
}

// countCompletion counts a request whose answer ends whole.
func (g *Gateway) countCompletion(q *request.Request, good bool) {
	if t := g.Policies.Traffic; t != nil {
		t.Complete(&q.Info, good)
	}
	if g.Flows != nil {
		f := &g.Flows[g.routerFor(q)]
		f.Completed++
		f.AnswerTokens += int64(q.Generated())
		if good {
			f.Good++
		}
	}
}

// countEnd counts the end of a request, if it was admitted.
func (g *Gateway) countEnd(id int32) {
	q := &g.Requests.All[id]
	if g.Flows != nil {
		g.Flows[g.routerFor(q)].Ended++
	}
	if q.Counted {
		g.Policies.Traffic.End(&q.Info)
		q.Counted = false
	}
}

// CountFlows counts the requests of a number of routers for scalers, and lets them wait for a
// replica to serve.
func (g *Gateway) CountFlows(routers int, routerOf []int, patience time.Duration) {
	g.Flows = make([]autoscaling.Gateway, routers)
	g.RouterOf, g.Patience = routerOf, patience
}
