// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/measure"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

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
