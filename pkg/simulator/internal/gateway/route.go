// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"errors"
	"fmt"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// route asks the router. The view is up to now.
func (g *Gateway) route(info *policy.Request) (policy.Route, error) {
	to, err := g.Policies.Routing.Router.Route(g.Show(), info)
	g.View.Changed = g.changed[:0]
	if g.Held.keeps(err) {
		return to, err
	}
	return g.checkDecision(info.ID, to, err)
}

// checkDecision panics where the router answers what no router may.
func (g *Gateway) checkDecision(id int, to policy.Route, err error) (policy.Route, error) {
	switch {
	case err != nil:
		g.checkRefusal(id, err)
		return policy.Route{}, err
	case !g.exists(to.Endpoint):
		panic(fmt.Sprintf("simulator: the router sent request %d to endpoint %d of %d", id, to.Endpoint, len(g.cluster.Replicas)))
	case to.Prefill != policy.NoPrefill && !g.exists(to.Prefill):
		panic(fmt.Sprintf("simulator: the router had request %d computed by endpoint %d of %d", id, to.Prefill, len(g.cluster.Replicas)))
	}
	return to, nil
}

// checkRefusal panics where a policy fails instead of refusing a request.
func (g *Gateway) checkRefusal(id int, err error) {
	if !errors.Is(err, policy.ErrNoEndpoint) {
		panic(fmt.Sprintf("simulator: a policy failed on request %d at %v: %v", id, g.Now, err))
	}
}

func (g *Gateway) exists(endpoint int) bool {
	return endpoint >= 0 && endpoint < len(g.cluster.Replicas)
}

// refusals are the reasons of the errors with which policies refuse requests.
var refusals = []struct {
	err    error
	reason simulator.Reason
}{
	{policy.ErrShed, simulator.Shed},
	{policy.ErrQueueFull, simulator.QueueFull},
	{policy.ErrExpired, simulator.Expired},
	{policy.ErrRateLimited, simulator.RateLimited},
	{policy.ErrOverBudget, simulator.OverBudget},
	{policy.ErrClassRefused, simulator.ClassRefused},
}

// refusal is the reason of an error with which a policy refuses a request.
func refusal(err error) simulator.Reason {
	for _, r := range refusals {
		if errors.Is(err, r.err) {
			return r.reason
		}
	}
	return simulator.NoEndpoint
}

// forward hands a request to the endpoints that the router chose, now.
func (g *Gateway) forward(id int32, to policy.Route, err error) {
	if err != nil {
		g.reject(id, simulator.NoPool, refusal(err))
		return
	}
	to = g.balance(to)
	q := &g.Requests.All[id]
	endpoint := to.Endpoint
	if by, reason, never := g.refuses(to, int64(q.Prompt), int64(q.Finish)); never {
		g.finished(q, int32(endpoint))
		g.reject(id, g.cluster.Replicas[by].Pool, reason)
		return
	}
	r := &g.cluster.Replicas[endpoint]
	q.Replica, q.Believed = int32(endpoint), to.Believed
	g.Held.note(id, q)
	q.Cell = g.Metrics.Arrived(g.Now, r.Pool, q)
	g.recordGatewayQueueing(q)
	g.recordAdmissionDelay(q)
	g.InFlight++
	r.CountServing(q, +1)
	for _, o := range g.Observers {
		o.Arrived(id)
	}
	g.send(id, to)
}

// balance puts the ranks in the place of endpoints that the engines choose.
func (g *Gateway) balance(to policy.Route) policy.Route {
	to.Endpoint = g.cluster.Balance(to.Endpoint)
	if to.Prefill != policy.NoPrefill {
		to.Prefill = g.cluster.Balance(to.Prefill)
	}
	return to
}

// send sends a request to its endpoints.
func (g *Gateway) send(id int32, to policy.Route) {
	q := &g.Requests.All[id]
	g.countSend(q)
	if q.Terms != nil && g.cluster.Handoffs.TakeOver(id, to.Endpoint) {
		return
	}
	if to.Prefill != policy.NoPrefill && to.Prefill != to.Endpoint {
		g.cluster.Handoffs.Begin(id, to.Prefill, to.Endpoint)
		return
	}
	g.cluster.Replicas[to.Endpoint].SendToQueue(id)
}

// forwardAgain sends a request on its way that has lost its replica.
func (g *Gateway) forwardAgain(id int32, to policy.Route, err error) {
	q := &g.Requests.All[id]
	if q.Generated() > 0 {
		to.Prefill = policy.NoPrefill // the replica that decodes computes all again
	}
	if err == nil {
		to = g.balance(to)
		if _, _, never := g.refuses(to, int64(q.Prompt), int64(q.Finish)); never {
			err = policy.ErrNoEndpoint
			g.finished(q, int32(to.Endpoint))
		}
	}
	if err != nil {
		g.lastsUntil(g.Now)
		g.Metrics.Failed(g.Now, q)
		g.End(id, g.Now, request.EndFailed)
		return
	}
	q.Replica, q.Reached, q.Remote, q.Believed = int32(to.Endpoint), request.Sent, 0, to.Believed
	q.Chain, q.Chained = q.Chain[:0], false
	g.Metrics.Cells[q.Cell].Migrated++
	g.recordGatewayQueueing(q)
	g.cluster.Replicas[to.Endpoint].CountServing(q, +1)
	g.send(id, to)
}

// refuses says whether an endpoint of a request can never serve its number of
// tokens, which one, and why.
func (g *Gateway) refuses(to policy.Route, prompt, total int64) (by int, reason simulator.Reason, never bool) {
	by = to.Endpoint
	reason, never = g.cluster.Replicas[by].Refuses(prompt, total)
	if !never && to.Prefill != policy.NoPrefill {
		by = to.Prefill
		reason, never = g.cluster.Replicas[by].Refuses(prompt, prompt+1)
	}
	if never || !g.asksOnArrival {
		return by, reason, never
	}
	return g.refusesNow(to, prompt)
}

// refusesNow says whether an endpoint of a request refuses it as things stand, which one, and why.
func (g *Gateway) refusesNow(to policy.Route, prompt int64) (by int, reason simulator.Reason, full bool) {
	asked := []int{to.Endpoint, to.Prefill}
	if to.Prefill == policy.NoPrefill || to.Prefill == to.Endpoint {
		asked = asked[:1]
	}
	for _, by := range asked {
		if reason, full := g.cluster.TurnsAway(by); full {
			return by, reason, true
		}
	}
	for _, by := range asked {
		if !g.cluster.Replicas[by].HasRoom(prompt) {
			return by, simulator.NoRoom, true
		}
	}
	return by, 0, false
}

// recordGatewayQueueing records how long the router kept a request back that goes to a
// replica now.
func (g *Gateway) recordGatewayQueueing(q *request.Request) {
	if g.Held.Queue != nil && g.Held.Queue.Queues(&q.Info) {
		g.Metrics.Kept(g.Now, q)
	}
}

// recordAdmissionDelay records how long the admission made a request wait that goes to
// a replica for the first time.
func (g *Gateway) recordAdmissionDelay(q *request.Request) {
	if q.RoutedAt > q.Info.Arrival {
		g.Metrics.Delayed(g.Now, q)
	}
}
