// SPDX-License-Identifier: Apache-2.0

package simulator

import "windtunnel.dev/windtunnel/pkg/policy"

// newSimulation builds the cluster, idle at time 0, with the first arrival on
// the agenda.
func newSimulation(c Config) *simulation {
	c.check()
	interval := c.ScrapeInterval
	if interval == 0 {
		interval = DefaultScrapeInterval
	}
	s := &simulation{
		router:         c.Router,
		listener:       c.Router.Listener(),
		source:         c.Source,
		horizon:        c.Horizon,
		labels:         c.Source.Labels(),
		scrapeInterval: interval,
		completed:      c.Completed,
	}
	s.metrics = newMetrics(c.Targets, c.Horizon.WarmUp, len(c.Pools), len(s.labels.Tenants), len(s.labels.Classes))
	for i := range c.Pools {
		s.addPool(i, &c.Pools[i], c.Seed)
	}
	if c.CheckInvariants {
		s.observers = append(s.observers, newInvariants())
	}
	if c.Horizon.WarmUp > 0 {
		s.schedule(c.Horizon.WarmUp, kindWarmUpEnd, 0)
	}
	s.pull()
	return s
}

// addPool adds a pool's replicas. Until its first scrape the router sees a
// replica as it starts: idle.
func (s *simulation) addPool(index int, p *Pool, seed int64) {
	s.pools = append(s.pools, p.Name)
	for range p.Replicas {
		endpoint := len(s.replicas)
		first := scrapePhase(seed, endpoint, int64(s.scrapeInterval))
		s.replicas = append(s.replicas, newReplica(int32(endpoint), index, p, first))
		s.view.Scrapes = append(s.view.Scrapes, policy.Scrape{})
		s.view.Scrapes[endpoint] = s.replicas[endpoint].metrics(0)
	}
}
