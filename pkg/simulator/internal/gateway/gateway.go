// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/engine"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/events"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/run"
)

// Gateway is where requests arrive, are held and routed, and where their answers end.
type Gateway struct {
	*run.State
	cluster  *engine.Cluster
	Policies policy.Policies
	events   *events.Queue

	sight
	flows
	answers
	// Held are the requests that the router keeps, Delays the times at which the admission is
	// asked again about those that it makes wait, and timeOuts those at which clients give up.
	Held     holds
	Delays   alarms
	timeOuts timeOuts
	// asksOnArrival says that some replica may refuse a request when it arrives or choose its rank, and
	// routesAgain that requests may lose their replica and go to another.
	asksOnArrival, routesAgain bool

	Arrived int
	// routerOf and byRoute are RouterOf and Route of Config, and turns counts the requests that have
	// arrived, by router.
	routerOf []int
	byRoute  simulator.Route
	turns    []int
	// InFlight counts accepted requests that have not ended, and those that wait here.
	InFlight int
	LastEnd  simtime.Time

	hooks
}

// hooks are those of Config.
type hooks struct {
	onArrived   func(simtime.Time)
	onCompleted func(simulator.Completion)
	onRejected  func(int, simulator.Reason)
	onEvicted   func(int)
	onEnded     func(simulator.RequestEnd)
}

// New returns a gateway without requests, which puts what is to happen later into a queue.
func New(state *run.State, cluster *engine.Cluster, queue *events.Queue, c *simulator.Config) *Gateway {
	return &Gateway{
		State: state, cluster: cluster, Policies: c.Policies, events: queue,
		sight:         newSight(state, cluster, c),
		flows:         flows{traffic: c.Policies.Traffic},
		answers:       answers{Listener: c.Listener},
		Held:          newHolds(&c.Policies.Routing),
		Delays:        alarms{queue: queue, kind: events.DelayEnds},
		timeOuts:      timeOuts{alarms: alarms{queue: queue, kind: events.RequestTimesOut}},
		asksOnArrival: slices.ContainsFunc(c.Pools, func(p simulator.Pool) bool { return engine.Asks(&p) }),
		routesAgain:   len(c.Disruptions) > 0 || slices.ContainsFunc(c.Pools, func(p simulator.Pool) bool { return p.Ending.Mode == simulator.EndElsewhere }),
		routerOf:      c.RouterOf,
		byRoute:       c.Route,
		turns:         make([]int, c.Routers()),
		hooks:         hooks{onArrived: c.Arrived, onCompleted: c.Completed, onRejected: c.Rejected, onEvicted: c.Evicted, onEnded: c.Ended},
	}
}

// RoutingFollowsReplicas says whether routing depends on what happens in the replicas, and
// not on their scrapes alone.
func (g *Gateway) RoutingFollowsReplicas() bool {
	r := &g.Policies.Routing
	return len(g.live) > 0 || g.Policies.Traffic != nil || r.Responses != nil || g.asksOnArrival || r.KVEvents != nil || r.Evictor != nil
}

// finished tells the policy that counts responses of an endpoint that has no more of a request.
func (g *Gateway) finished(q *request.Request, endpoint int32) {
	if r := g.Policies.Routing.Responses; r != nil {
		r.Finished(&q.Info, g.cluster.Front(int(endpoint)))
	}
}

// StreamsEnd is when the streams of all requests have ended whose tokens the engines
// have given.
func (g *Gateway) StreamsEnd() simtime.Time { return g.streamsEnd(g.State) }
