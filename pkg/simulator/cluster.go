// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"context"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// newSimulation builds the cluster, idle at time 0.
func newSimulation(ctx context.Context, c Config) *simulation {
	c.check()
	if c.Listener != nil {
		c.Source = c.Listener
	}
	s := &simulation{
		ctx:         ctx,
		policies:    c.Policies,
		onCompleted: c.Completed,
		onRejected:  c.Rejected,
		onEvicted:   c.Evicted,
		onEnded:     c.Ended,
		source:      c.Source,
		listener:    c.Listener,
		horizon:     c.Horizon,
		handoff:     c.Handoff,
		held:        newGatewayQueue(&c.Policies.Routing),
		disruptions: c.Disruptions,
		labels:      c.Source.Labels(),
	}
	s.metrics = newMetrics(c.Targets, c.Horizon.WarmUp, len(c.Pools), len(s.labels.Tenants), len(s.labels.Classes))
	for i := range c.Pools {
		s.addPool(i, &c.Pools[i])
	}
	s.watchCaches()
	s.connect(&c)
	s.addScrapes(&c)
	s.addClusterEvents(&c)
	if c.CheckInvariants {
		s.observers = append(s.observers, newInvariants())
	}
	return s
}

// addPool adds a pool's replicas.
func (s *simulation) addPool(index int, p *Pool) {
	s.pools = append(s.pools, p.Name)
	s.asksOnArrival = s.asksOnArrival || p.Stability.asks()
	for place := range p.places() {
		r := newReplica(int32(len(s.replicas)), index, p)
		if place < p.Replicas {
			r.lifetimes.begin(0)
		}
		s.replicas = append(s.replicas, r)
	}
}

// addScrapes draws when each endpoint is scraped. Until its first scrape the
// router sees a replica as it starts: idle.
func (s *simulation) addScrapes(c *Config) {
	interval := c.ScrapeInterval
	if interval == 0 {
		interval = DefaultScrapeInterval
	}
	phases := make([]simtime.Time, len(s.replicas))
	s.view = policy.View{Scrapes: make([]policy.Scrape, len(s.replicas))}
	for i := range s.replicas {
		phases[i] = scrapePhase(c.Seed, i, int64(interval))
		s.view.Scrapes[i] = s.replicas[i].metrics(0)
	}
	s.viewAdapters()
	s.viewPresence()
	s.changed = make([]int32, 0, len(s.replicas)+1)
	s.scrapes = newScrapeSchedule(interval, phases)
}

// viewPresence lets the router see which replicas are not there at the start.
func (s *simulation) viewPresence() {
	for i := range s.replicas {
		if !s.replicas[i].lifetimes.present() {
			s.setDown(i, true)
		}
	}
}

// setDown says whether the router may choose a replica.
func (s *simulation) setDown(endpoint int, down bool) {
	if s.view.Down == nil {
		s.view.Down = make([]bool, len(s.replicas))
	}
	s.view.Down[endpoint] = down
}
