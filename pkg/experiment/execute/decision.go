// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/setup"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// A Decision is one decision of the router in one simulation, with the
// scenario's names. It belongs to who is told.
type Decision struct {
	Seed   int64  `json:"seed"`
	Tenant string `json:"tenant"`
	Class  string `json:"class"`
	// Names are the endpoints': the pool, and the number of the replica in it,
	// from 0.
	Names []string `json:"names"`
	// AdapterNames are the LoRA adapters' by number from 1: adapter 1 is the first
	// one. It is nil where clients ask for none.
	AdapterNames []string `json:"adapterNames,omitempty"`
	// Signals is Oracle where the metrics of the endpoints are as of the decision.
	Signals string `json:"signals,omitempty"`
	*scheduler.Explanation
	// Rejected is why the request was rejected, as results say it; "" where it
	// was not.
	Rejected string `json:"rejected,omitempty"`
}

// TurnedAway reports whether the request came to no engine, or to one that
// refused it.
func (d *Decision) TurnedAway() bool { return d.Rejected != "" || d.Error != "" }

// explainer is a router that says why.
type explainer interface {
	Explain(tell func(*scheduler.Explanation))
}

// attach has a simulation watched. What it returns is to be called when that is
// over.
func (w observers) attach(c *simulator.Config) (detach func()) {
	c.CheckInvariants = w.check
	c.Completed, c.Evicted, c.Ended = w.completed, w.evicted, w.ended
	if w.scaling != nil {
		w.scaling(c)
	}
	if w.decided == nil {
		return func() {}
	}
	return WatchDecisions(c, w.decided)
}

// WatchDecisions has each decision of a simulation told, which changes nothing of it. What it
// returns is to be called when the simulation is over.
func WatchDecisions(c *simulator.Config, tell func(*Decision)) (detach func()) {
	n := decisionObserver{seed: c.Seed, labels: c.Source.Labels(), names: namesOf(c.Pools), live: liveOf(c.Pools), tell: tell}
	router := c.Policies.Routing.Router.(explainer)
	router.Explain(n.explained)
	c.Rejected = n.rejected
	return func() {
		router.Explain(nil)
		n.flush()
	}
}

// liveOf says which routers see replicas as they are.
func liveOf(pools []simulator.Pool) map[int]bool {
	live := map[int]bool{}
	for i := range pools {
		live[pools[i].Router] = pools[i].Live
	}
	return live
}

// namesOf name the replicas that each router chooses from.
func namesOf(pools []simulator.Pool) map[int][]string {
	names := map[int][]string{}
	for i := range pools {
		p := &pools[i]
		names[p.Router] = append(names[p.Router], setup.EndpointNames(p.Name, p.Places())...)
	}
	return names
}

// A decisionObserver puts together what the router and the engines say of a request.
type decisionObserver struct {
	seed   int64
	labels workload.Labels
	names  map[int][]string // by router
	live   map[int]bool     // by router
	tell   func(*Decision)
	// last waits for what the engine makes of it; nil if nothing does.
	last *Decision
}

func (n *decisionObserver) explained(x *scheduler.Explanation) {
	n.flush()
	n.last = &Decision{
		Seed:         n.seed,
		Tenant:       n.labels.Tenants[x.Request.Tenant],
		Class:        n.labels.Classes[x.Request.Class],
		Names:        n.names[x.Router],
		AdapterNames: n.labels.Adapters,
		Explanation:  x,
	}
	if n.live[x.Router] {
		n.last.Signals = string(v1alpha1.OracleSignals)
	}
}

func (n *decisionObserver) rejected(request int, reason simulator.Reason) {
	if n.last != nil && n.last.Request.ID == request {
		n.last.Rejected = reason.String()
	}
}

func (n *decisionObserver) flush() {
	if n.last != nil {
		n.tell(n.last)
		n.last = nil
	}
}
