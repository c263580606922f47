// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/engine"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/events"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/run"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// Gateway is where requests arrive, are held and routed, and where their answers end.
type Gateway struct {
	*run.State
	cluster  *engine.Cluster
	Policies policy.Policies
	events   *events.Queue

	sight
	// Held, Delays and TimeOuts are of requests that wait here, and of clients that wait.
	Held     gatewayQueue
	Delays   delays
	TimeOuts timeOuts
	// asksOnArrival says that some replica asks its advisor when a request arrives.
	asksOnArrival bool
	flows
	streams

	Arrived int
	// turns counts the requests that have arrived, by model.
	turns []int
	// InFlight counts accepted requests that have not ended, and those that wait here.
	InFlight int
	LastEnd  simtime.Time

	hooks
}

// sight is what the router sees of the replicas.
type sight struct {
	Scrapes scrapeSchedules
	// live are the endpoints that the router sees as they are.
	live    []int32
	View    policy.View
	changed []int32 // memory of View.Changed
	numbers []int32 // scratch
}

// flows are what scalers may know of the requests of each router.
type flows struct {
	// Flows is nil where there is no scaler.
	Flows []autoscaling.Gateway
	// RouterOf and Patience are Config.RouterOf and Config.AwaitReplicas.
	RouterOf []int
	Patience time.Duration
}

// streams are the answers on their way to the gateway.
type streams struct {
	deliveries deliveries
	// Listener is the source where that hears of ends; nil otherwise, and once no
	// more requests arrive. heard says that it has received an end.
	Listener workload.Listener
	heard    bool
	// finishBy is when the streams of all requests have ended whose tokens the
	// engines have given. finishStale says that finishBy leaves out the ends that are
	// on their way to the gateway.
	finishBy    simtime.Time
	finishStale bool
}

// hooks are those of Config.
type hooks struct {
	onCompleted func(simulator.Completion)
	onRejected  func(int, simulator.Reason)
	onEvicted   func(int)
	onEnded     func(simulator.RequestEnd)
}

// New returns a gateway without requests, which puts what is to happen later into a queue.
func New(state *run.State, cluster *engine.Cluster, queue *events.Queue, c *simulator.Config) *Gateway {
	return &Gateway{
		State: state, cluster: cluster, Policies: c.Policies, events: queue,
		streams:       streams{Listener: c.Listener},
		turns:         make([]int, state.Metrics.Models),
		Held:          newGatewayQueue(&c.Policies.Routing),
		asksOnArrival: slices.ContainsFunc(c.Pools, func(p simulator.Pool) bool { return asks(p.Stability) }),
		hooks:         hooks{onCompleted: c.Completed, onRejected: c.Rejected, onEvicted: c.Evicted, onEnded: c.Ended},
	}
}

// Arrive routes a request at the time of its arrival and sends it on its way.
func (g *Gateway) Arrive(w *workload.Request) {
	g.Arrived++
	id := g.Requests.Take()
	q := &g.Requests.All[id]
	q.Info = policy.Request{
		ID: w.ID, Arrival: w.Arrival, Prompt: w.Prompt, Tokens: w.Prompt.Tokens(),
		Tenant: w.Tenant, Class: w.Class, Priority: w.Priority,
		Session: w.Session, Adapter: int32(w.Adapter), Headers: int32(w.Headers),
		Model: int32(w.Model), Turn: g.turns[w.Model],
	}
	g.turns[w.Model]++
	promised := g.Metrics.Target(w.Tenant, w.Class)
	q.Info.TTFT, q.Info.TPOT = promised.TTFT, promised.TPOT
	q.Replica, q.RoutedAt = simulator.NoReplica, w.Arrival
	q.LastToken, q.FirstToken, q.ScheduledAt = request.Unset, request.Unset, request.Unset
	q.Retry = w.Attempt > 0
	output := int32(max(w.OutputTokens, 1))
	q.Prompt = int32(q.Info.Tokens)
	q.Total, q.Finish = q.Prompt, q.Prompt+output
	q.Answer = prompt.Extent{Source: w.Response, Start: w.ResponseStart, Tokens: output}
	g.countArrival(q)
	g.prioritize(&q.Info)
	g.admit(id)
	g.startTimeOut(id, w)
	g.Now = w.Arrival
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

// Show returns the view as it is to be seen now.
func (g *Gateway) Show() *policy.View {
	g.View.Now = g.Now
	for _, endpoint := range g.live {
		g.Read(&g.cluster.Replicas[endpoint], g.Now)
	}
	return &g.View
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
	g.countAdmission(id)
	to, err := g.route(info)
	if g.isHeld(err) {
		g.hold(id)
	} else {
		g.forward(id, to, err)
	}
}

// forward hands a request to the endpoints that the router chose, now.
func (g *Gateway) forward(id int32, to policy.Decision, err error) {
	if err != nil {
		g.reject(id, simulator.NoPool, refusal(err))
		return
	}
	q := &g.Requests.All[id]
	endpoint, prefill := to.Endpoint, to.Prefill
	r := &g.cluster.Replicas[endpoint]
	reason, never := g.refuses(to, int64(q.Prompt), int64(q.Finish))
	if never {
		if g.Policies.Routing.Responses != nil {
			g.Policies.Routing.Responses.Finished(&q.Info, endpoint)
		}
		g.reject(id, r.Pool, reason)
		return
	}
	q.Replica, q.Believed = int32(endpoint), to.Believed
	g.Held.note(id, q)
	q.Cell = g.Metrics.Arrived(g.Now, r.Pool, q)
	g.recordGatewayQueueing(q)
	g.recordAdmissionDelay(q)
	g.InFlight++
	r.CountServing(+1)
	for _, o := range g.Observers {
		o.Arrived(id)
	}
	if prefill != policy.NoPrefill && prefill != endpoint {
		g.cluster.Handoffs.Begin(id, prefill, endpoint)
		return
	}
	r.SendToQueue(id)
}

// refuses says whether the endpoints of a request can never serve a number of
// tokens, and why.
func (g *Gateway) refuses(to policy.Decision, prompt, total int64) (simulator.Reason, bool) {
	reason, never := g.cluster.Replicas[to.Endpoint].Refuses(prompt, total)
	if !never && to.Prefill != policy.NoPrefill {
		reason, never = g.cluster.Replicas[to.Prefill].Refuses(prompt, prompt+1)
	}
	if !never && g.asksOnArrival && g.rejectsOnArrival(to, prompt) {
		return simulator.NoRoom, true
	}
	return reason, never
}

// route asks the router. The view is up to now.
func (g *Gateway) route(info *policy.Request) (policy.Decision, error) {
	to, err := g.Policies.Routing.Router.Route(g.Show(), info)
	g.View.Changed = g.changed[:0]
	if g.isHeld(err) {
		return to, err
	}
	return g.checkDecision(info.ID, to, err)
}

// checkDecision panics where the router answers what no router may.
func (g *Gateway) checkDecision(id int, to policy.Decision, err error) (policy.Decision, error) {
	switch {
	case err != nil:
		g.checkRefusal(id, err)
		return policy.Decision{}, err
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

// reject ends a request that no engine will see.
func (g *Gateway) reject(id int32, pool int, reason simulator.Reason) {
	info := &g.Requests.All[id].Info
	g.Metrics.Rejected(g.Now, pool, &g.Requests.All[id], reason)
	g.countRejection(id)
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
	g.finishBy, g.LastEnd = max(g.finishBy, g.Now), max(g.LastEnd, g.Now)
	g.stopTimeOut(id)
	g.Requests.Release(id)
}

// asks says that a request may be turned away at the pool's door, so that its
// replicas have to be up to date when one arrives.
func asks(p *simulator.Stability) bool { return p != nil && p.Admission == simulator.AdmitOrRefuse }

// rejectsOnArrival says whether a request finds no room at the door of a replica that
// is to serve it, where that one's pool asks.
func (g *Gateway) rejectsOnArrival(to policy.Decision, prompt int64) bool {
	if g.cluster.Replicas[to.Endpoint].HasRoom(prompt) {
		return to.Prefill != policy.NoPrefill && to.Prefill != to.Endpoint && !g.cluster.Replicas[to.Prefill].HasRoom(prompt)
	}
	return true
}

// RoutingFollowsReplicas says whether routing depends on what happens in the replicas, and
// not on their scrapes alone.
func (g *Gateway) RoutingFollowsReplicas() bool {
	r := &g.Policies.Routing
	return len(g.live) > 0 || g.Policies.Traffic != nil || r.Responses != nil || g.asksOnArrival || r.KVEvents != nil || r.Evictor != nil
}
