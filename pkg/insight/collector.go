// SPDX-License-Identifier: Apache-2.0

package insight

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// A Collector watches one simulation.
type Collector struct {
	by            Thresholds
	labels        workload.Labels
	targets       []simulator.Target
	tenantTargets [][]simulator.Target
	seed          int64
	// names are the replicas' of all pools, onePort says that the engine chooses among the ranks, and
	// byRouter are those that each router chooses from.
	names    []string
	onePort  []bool
	byRouter map[int][]int
	scaling  []simulator.ScaledUnit
	open     map[int]*record
	router   router
	outcome  outcome
	rules    []rule
	scalers  scaleOscillation
	storm    preemptionStorm
	worst    worst
	sample   sample
	patterns patterns
	// onlyCounts says that the caller wants no report, only Counts and Counted.
	onlyCounts bool
	// counted says that a rule counts the request that ended last.
	counted  bool
	examples components
}

// A rule looks at each request that ends, and says in the end what went wrong.
type rule interface {
	ended(*Collector, *record)
	anomalies(*Collector) []Anomaly
}

// NewCollector returns a collector for a simulation.
func NewCollector(c *simulator.Config, by Thresholds) *Collector {
	n := &Collector{
		by: by.withDefaults(), labels: c.Source.Labels(), targets: c.Targets, tenantTargets: c.TenantTargets,
		seed: c.Seed, byRouter: map[int][]int{}, scaling: c.Scaling, open: map[int]*record{}, patterns: patterns{counts: map[string]*[2]int{}},
	}
	for i := range c.Pools {
		p := &c.Pools[i]
		for _, name := range p.EndpointNames() {
			n.byRouter[p.Router] = append(n.byRouter[p.Router], len(n.names))
			n.names = append(n.names, name)
			n.onePort = append(n.onePort, p.OnePort)
		}
	}
	n.outcome = outcome{labels: n.labels, classes: make([]classSums, max(len(n.labels.Classes), 1)), first: simtime.Never}
	beginnings := &beginnings{young: map[beginning][]held{}}
	n.rules = []rule{
		&sloViolations{}, &tails{}, newPriorityInversion(), newHeadOfLine(), &shadowDivergence{},
		&reuse{seen: beginnings}, &hotReplica{make([]share, len(n.names))}, &pdBackpressure{}, &tenantBurst{time.Second, make([][]slot, max(len(n.labels.Tenants), 1))},
	}
	n.scalers.begin(len(c.Scaling))
	n.examples = components{late: map[int]*record{}, changes: changes{open: make([]*change, len(c.Scaling))}}
	return n
}

// explainer is a router that says why.
type explainer interface {
	Explain(tell func(*scheduler.Explanation))
}

// Attach has the collector hear of a simulation. The caller calls detach when the simulation
// is over. A router explains its decisions to one listener: a caller that listens, too, calls
// Watch and Explained in place of Attach.
func (c *Collector) Attach(config *simulator.Config) (detach func()) {
	c.Watch(config)
	router, explains := config.Policies.Routing.Router.(explainer)
	if !explains {
		return func() {}
	}
	router.Explain(func(x *scheduler.Explanation) {
		c.Explained(x)
		x.Release()
	})
	return func() { router.Explain(nil) }
}

// Watch is Attach without the explanations of the router: the caller has Explained called.
func (c *Collector) Watch(config *simulator.Config) {
	config.WatchQueues, config.LongPrompt = true, c.by.LongPrompt
	config.Source = watchedSource{config.Source, c}
	config.Ended = after(config.Ended, c.Ended)
	config.Preempted = after(config.Preempted, c.Preempted)
	config.Scaled = after(config.Scaled, c.Scaled)
}

// after calls a second function after a first one, which may be nil.
func after[T any](first, second func(T)) func(T) {
	if first == nil {
		return second
	}
	return func(t T) {
		first(t)
		second(t)
	}
}

// of returns the record of a request in flight.
func (c *Collector) of(request int) *record {
	r := c.open[request]
	if r == nil {
		r = &record{pick: nowhere}
		c.open[request] = r
	}
	return r
}

// Explained takes a decision of the router. It keeps nothing of the explanation.
func (c *Collector) Explained(x *scheduler.Explanation) {
	if !c.onlyCounts {
		c.router.note(x)
	}
	r := c.of(x.Request.ID)
	r.pick, r.verdict = c.pickOf(x), verdictOf(x)
}

// Preempted takes a preemption.
func (c *Collector) Preempted(p simulator.Preemption) {
	r := c.of(p.Request)
	r.preemptions++
	c.storm.preempted(p)
}

// Ended takes the end of a request.
func (c *Collector) Ended(e simulator.RequestEnd) {
	r := c.of(e.ID)
	delete(c.open, e.ID)
	r.end = e
	r.judge(simulator.FindTarget(c.targets, c.tenantTargets, e.Tenant, e.Class), c.by.TTFT)
	if !c.onlyCounts {
		c.outcome.add(r)
	}
	for _, rule := range c.rules {
		rule.ended(c, r)
	}
	c.storm.ended(r)
	if !c.onlyCounts {
		c.worst.add(r)
		c.sample.add(r)
		c.patterns.add(c, r)
		c.examples.add(r)
	}
	c.counted = r.counted
}

// NewCounter returns a collector that does not report, but counts in less time.
func NewCounter(c *simulator.Config, by Thresholds) *Collector {
	n := NewCollector(c, by)
	n.onlyCounts = true
	return n
}

// Counts are the counts of the anomalies so far by type, 0 for types without one.
func (c *Collector) Counts() map[Type]int {
	counts := map[Type]int{}
	for _, t := range Types {
		counts[t] = 0
	}
	for _, a := range c.anomalies() {
		counts[a.Type] += a.Count
	}
	return counts
}

// Counted reports whether a rule counts the request that ended last. Rules that know only later
// what is wrong do not: hot replicas and bursts of tenants.
func (c *Collector) Counted() bool { return c.counted }

// InFlight reports whether a request has left its source and has not ended.
func (c *Collector) InFlight(request int) bool { return c.open[request] != nil }

// Scaled takes a decision of a scaler.
func (c *Collector) Scaled(d simulator.ScalerCall) {
	c.scalers.scaled(c, d)
	c.examples.changes.scaled(d)
}

// duration is how long the simulation lasted, as far as the collector heard.
func (c *Collector) duration() time.Duration { return time.Duration(c.outcome.last) }

func (c *Collector) name(replica int) string {
	if replica < 0 || replica >= len(c.names) {
		return "none"
	}
	return c.names[replica]
}
