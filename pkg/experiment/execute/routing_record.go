// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"maps"
	"slices"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/jsonline"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// A RoutingRecord is one decision of the router in one simulation, with the
// scenario's names and with what came of it. It belongs to the observer that receives it, which may release
// its explanation.
type RoutingRecord struct {
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
	// Outcome is what came of it; nil where the simulation was broken off before.
	Outcome *RoutingResult `json:"outcome,omitempty"`
}

// TurnedAway reports whether the request came to no engine, or to one that
// refused it.
func (d *RoutingRecord) TurnedAway() bool { return d.Rejected != "" || d.Error != "" }

// explainer is a router that says why.
type explainer interface {
	Explain(tell func(*scheduler.Explanation))
}

var decisionFields = jsonline.NewObject[RoutingRecord]()

// AppendLine appends the decision as a line of JSON.
func (d *RoutingRecord) AppendLine(b []byte) []byte {
	return append(decisionFields.Append(append(b, '{'), d), '}', '\n')
}

// AppendRecord is AppendLine of a trace that has other records, too.
func (d *RoutingRecord) AppendRecord(b []byte) []byte {
	b = jsonline.Text(append(b, `{"record":`...), string(result.RoutingKind))
	return append(decisionFields.Append(b, d), '}', '\n')
}

// attach has a simulation watched. What it returns is to be called when that is
// over.
func (w observers) attach(c *simulator.Config) (detach func()) {
	c.CheckInvariants, c.Series = w.check, seriesIn(w.series)
	c.Completed, c.Evicted = w.completed, w.evicted
	if w.ended != nil {
		c.Ended = both(c.Ended, w.ended)
	}
	if w.scaling != nil {
		w.scaling(c)
	}
	switch {
	case w.watch != nil:
		return w.watch(c)
	case w.decided != nil:
		return watchDecisions(c, w.decided, nil, w.decisionsOf)
	default:
		return func() {}
	}
}

// WatchDecisions has each decision of a simulation told when its request ends, which changes
// nothing of the simulation. What it returns is to be called when the simulation is over.
func WatchDecisions(c *simulator.Config, tell func(*RoutingRecord)) (detach func()) {
	return watchDecisions(c, tell, nil, nil)
}

// watchDecisions is WatchDecisions that has a function, unless it is nil, told of each explanation as
// it is made. A decision on a request that wanted, unless it is nil, does not want is not told of:
// those of all requests in flight hold what was known of each replica.
func watchDecisions(c *simulator.Config, tell func(*RoutingRecord), also func(*scheduler.Explanation), wanted func(request int) bool) (detach func()) {
	n := decisionObserver{
		seed: c.Seed, labels: c.Source.Labels(), adapters: c.Adapters(), names: namesOf(c.Pools), ranks: ranksOf(c.Pools), live: liveOf(c.Pools), tell: tell,
		open: map[int]*RoutingRecord{}, wanted: wanted,
	}
	router := c.Policies.Routing.Router.(explainer)
	router.Explain(both(also, n.explained))
	c.Rejected = n.rejected
	c.Ended = both(c.Ended, n.ended)
	return func() {
		router.Explain(nil)
		n.flush()
	}
}

// both returns a function that calls two, of which the first may be nil.
func both[T any](first, second func(T)) func(T) {
	if first == nil {
		return second
	}
	return func(t T) {
		first(t)
		second(t)
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
		names[p.Router] = append(names[p.Router], p.EndpointNames()...)
	}
	return names
}

// ranksOf name the endpoints of all pools whose engines choose the ranks of requests; "" is the others'.
func ranksOf(pools []simulator.Pool) []string {
	var ranks []string
	for i := range pools {
		names := pools[i].EndpointNames()
		if !pools[i].OnePort {
			clear(names)
		}
		ranks = append(ranks, names...)
	}
	return ranks
}

// A decisionObserver puts together what the router and the engines say of a request. It
// tells of a decision when the request ends, or is routed again.
type decisionObserver struct {
	seed   int64
	labels workload.Labels
	// adapters are the names of adapters, by number less 1.
	adapters []string
	names    map[int][]string // by router
	ranks    []string         // by endpoint of all pools
	live     map[int]bool     // by router
	tell     func(*RoutingRecord)
	wanted   func(request int) bool // nil wants all
	// open are the decisions that nothing has come of yet, by request.
	open map[int]*RoutingRecord
}

func (n *decisionObserver) explained(x *scheduler.Explanation) {
	if n.wanted != nil && !n.wanted(x.Request.ID) {
		x.Release()
		return
	}
	if before := n.open[x.Request.ID]; before != nil {
		before.Outcome = &RoutingResult{Ended: RoutedAgain}
		n.tell(before)
	}
	d := &RoutingRecord{
		Seed:         n.seed,
		Tenant:       n.labels.Tenants[x.Request.Tenant],
		Class:        n.labels.Classes[x.Request.Class],
		Names:        n.names[x.Router],
		AdapterNames: n.adapters,
		Explanation:  x,
	}
	if n.live[x.Router] {
		d.Signals = string(v1alpha1.OracleSignals)
	}
	n.open[x.Request.ID] = d
}

func (n *decisionObserver) rejected(request int, reason simulator.Reason) {
	if d := n.open[request]; d != nil {
		d.Rejected = reason.String()
	}
}

func (n *decisionObserver) ended(e simulator.RequestEnd) {
	if d := n.open[e.ID]; d != nil {
		delete(n.open, e.ID)
		d.Outcome = outcomeOf(&e)
		if e.Replica != simulator.NoReplica {
			d.Outcome.Rank = n.ranks[e.Replica]
		}
		n.tell(d)
	}
}

// flush tells of the decisions that are left, in order of arrival.
func (n *decisionObserver) flush() {
	for _, id := range slices.Sorted(maps.Keys(n.open)) {
		n.tell(n.open[id])
	}
	clear(n.open)
}
