// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// endOf describes a request that ends after some endpoint had it, or that was
// kept back for one until the run ended.
func (g *gateway) endOf(q *request, at simtime.Time, how ending) simulator.RequestEnd {
	e := g.endAtGateway(q, simulator.NoPool)
	e.End, e.Ended, e.Measured = at, how.String(), q.cell != discard
	if how == endEvicted {
		e.Reason = simulator.Evicted
	}
	if q.accepted() {
		e.Pool, e.Replica = g.cluster.replicas[q.replica].pool, int(q.replica)
	}
	e.FirstToken, e.Scheduled = q.firstToken, q.scheduled()
	if q.firstToken >= 0 {
		e.Entered = q.entered
	}
	e.Overtaken, e.Blocked = q.overtaken, q.blocked
	e.CachedTokens, e.TierTokens, e.RemoteTokens, e.Believed = int(q.cached), q.tierTokens, int(q.remote), q.believed
	return e
}

// endAtGateway describes a request that no endpoint accepted.
func (g *gateway) endAtGateway(q *request, pool int) simulator.RequestEnd {
	return simulator.RequestEnd{
		ID: q.info.ID, Tenant: q.info.Tenant, Class: q.info.Class, Model: int(q.info.Model), Pool: pool, Replica: simulator.NoReplica,
		Arrival: q.info.Arrival, FirstToken: unset, End: g.now, PromptTokens: int(q.prompt),
		Measured: q.info.Arrival >= g.metrics.warmUp,
	}
}
