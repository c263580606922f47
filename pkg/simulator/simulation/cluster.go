// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/measure"
)

// cluster is the replicas and what they share. Where they share nothing, only
// arrivals, scrapes and what happens above the replicas have an order among them; what
// happens inside a replica is made up for when somebody looks at it. Figures are sums,
// which no order changes. Replicas that share a network or a tier are advanced in the
// order of time.
type cluster struct {
	*core
	gateway  *gateway
	replicas []replica
	// order is nil where each replica can be advanced on its own.
	order *replicaOrder
	// awaitsEnd says that replicas are advanced up to the next end of a request only.
	awaitsEnd bool

	handoffs handoffs
	handoff  simulator.Handoff

	// serving counts requests that no engine has given all of their tokens, those
	// that the router holds back included.
	serving int
	// draining says that no more requests arrive; drainBound is up to when replicas
	// are advanced then that serve nobody.
	draining   bool
	drainBound simtime.Time

	extents []prompt.Extent // scratch
}

// newSimulation builds the cluster, idle at time 0.
func newSimulation(ctx context.Context, c simulator.Config) *simulation {
	c.Check()
	labels := c.Source.Labels()
	s := &simulation{source: c.Source, horizon: c.Horizon, disruptions: c.Disruptions, labels: labels, seed: c.Seed}
	s.core = &core{
		ctx: ctx, sim: s, faults: c.Policies.Faults,
		listeners: listeners{c.Preempted, c.Stepped, c.Transferred, c.HandedOver},
		metrics:   measure.NewMetrics(c.Targets, c.TenantTargets, c.Horizon.WarmUp, c.Pools, labels),
	}
	s.cluster = &cluster{core: s.core, handoff: c.Handoff}
	s.gateway = newGateway(s.core, s.cluster, &c)
	s.cluster.gateway = s.gateway
	for i := range c.Pools {
		s.addPool(&c, i)
	}
	s.recordSeries(&c)
	s.gateway.watchCaches()
	s.cluster.connect(&c)
	s.gateway.addScrapes(&c)
	s.addClusterEvents(&c)
	s.addScaling(&c)
	for _, a := range c.Policies.Adaptations {
		a.MeasureFrom(simtime.Time(c.Horizon.WarmUp))
	}
	if c.CheckInvariants {
		s.observers = append(s.observers, newInvariants())
	}
	return s
}

func newGateway(core *core, cluster *cluster, c *simulator.Config) *gateway {
	return &gateway{
		core: core, cluster: cluster, policies: c.Policies, listener: c.Listener,
		turns:       make([]int, core.metrics.Models),
		held:        newGatewayQueue(&c.Policies.Routing),
		onCompleted: c.Completed, onRejected: c.Rejected, onEvicted: c.Evicted, onEnded: c.Ended,
	}
}

// addPool adds a pool's replicas.
func (s *simulation) addPool(config *simulator.Config, index int) {
	p := &config.Pools[index]
	s.pools = append(s.pools, p.Name)
	s.gateway.asksOnArrival = s.gateway.asksOnArrival || asks(p.Stability)
	c := s.cluster
	for place := range p.Places() {
		r := newReplica(int32(len(c.replicas)), index, p)
		r.rank = place % p.RanksPerReplica()
		r.core, r.cluster = s.core, c
		r.watch = newQueueWatch(config, p)
		if place < p.Replicas {
			r.lifetimes.Begin(0)
		}
		c.replicas = append(c.replicas, r)
	}
}

// addScrapes draws when each endpoint is scraped that the router does not see as it is.
// Until its first scrape the router sees a replica as it starts: idle.
func (g *gateway) addScrapes(c *simulator.Config) {
	phases := make([]simtime.Time, len(g.cluster.replicas))
	g.view = policy.View{Scrapes: make([]policy.Scrape, len(g.cluster.replicas)), Traffic: g.policies.Traffic}
	number := map[int]int{} // of the next endpoint, by router
	var intervals []time.Duration
	endpoints := map[time.Duration][]int32{}
	for i := range g.cluster.replicas {
		pool := &c.Pools[g.cluster.replicas[i].pool]
		g.view.Scrapes[i] = g.cluster.replicas[i].scraped(0)
		if pool.Live {
			g.live = append(g.live, int32(i))
			number[pool.Router]++
			continue
		}
		interval := c.ScrapeIntervalOf(pool)
		if endpoints[interval] == nil {
			intervals = append(intervals, interval)
		}
		endpoints[interval] = append(endpoints[interval], int32(i))
		phases[i] = scrapePhase(c.Seed, number[pool.Router], int64(interval))
		number[pool.Router]++
	}
	g.viewAdapters()
	g.viewEngines()
	g.viewPresence()
	g.changed = make([]int32, 0, len(g.cluster.replicas)+1)
	for _, interval := range intervals {
		g.scrapes = append(g.scrapes, newScrapeSchedule(interval, phases, endpoints[interval]))
	}
}

// viewPresence lets the router see which replicas are not there at the start.
func (g *gateway) viewPresence() {
	for i := range g.cluster.replicas {
		if !g.cluster.replicas[i].lifetimes.Present() {
			g.setDown(i, true)
		}
	}
}

// setDown says whether the router may choose a replica.
func (g *gateway) setDown(endpoint int, down bool) {
	if g.view.Down == nil {
		g.view.Down = make([]bool, len(g.cluster.replicas))
	}
	g.view.Down[endpoint] = down
}
