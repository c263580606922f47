// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/engine"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// routeAgain asks the router where a request goes that has lost its replica. It
// keeps what it has given, and computes that again.
func (g *Gateway) routeAgain(id int32) {
	q := &g.Requests.All[id]
	if g.Policies.Routing.Responses != nil {
		g.Policies.Routing.Responses.Finished(&q.Info, int(q.Replica))
	}
	q.RoutedAt = g.Now
	to, err := g.route(&q.Info)
	if g.isHeld(err) {
		g.hold(id)
	} else {
		g.forwardAgain(id, to, err)
	}
	g.Release()
}

// forwardAgain sends a request on its way that has lost its replica.
func (g *Gateway) forwardAgain(id int32, to policy.Decision, err error) {
	q := &g.Requests.All[id]
	if q.Generated() > 0 {
		to.Prefill = policy.NoPrefill // the replica that decodes computes all again
	}
	if err == nil {
		if _, never := g.refuses(to, int64(q.Prompt), int64(q.Finish)); never {
			err = policy.ErrNoEndpoint
			if g.Policies.Routing.Responses != nil {
				g.Policies.Routing.Responses.Finished(&q.Info, to.Endpoint)
			}
		}
	}
	if err != nil {
		g.finishBy = max(g.finishBy, g.Now)
		g.Metrics.Failed(g.Now, q)
		g.End(id, g.Now, request.EndFailed)
		return
	}
	q.Replica, q.Moved, q.Remote, q.Charged, q.Believed = int32(to.Endpoint), true, 0, false, to.Believed
	q.Chain, q.Chained = q.Chain[:0], false
	g.Metrics.Cells[q.Cell].Migrated++
	g.recordGatewayQueueing(q)
	g.cluster.Replicas[to.Endpoint].CountServing(+1)
	if to.Prefill != policy.NoPrefill && to.Prefill != to.Endpoint {
		g.cluster.Handoffs.Begin(id, to.Prefill, to.Endpoint)
		return
	}
	g.cluster.Replicas[to.Endpoint].SendToQueue(id)
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
