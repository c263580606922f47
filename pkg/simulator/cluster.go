// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/policy"
)

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
		source:         c.Source,
		horizon:        c.Horizon,
		labels:         c.Source.Labels(),
		scrapeInterval: interval,
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

// check panics where the rules of Config are broken.
func (c *Config) check() {
	endpoints := 0
	for i := range c.Pools {
		c.Pools[i].check()
		endpoints += c.Pools[i].Replicas
	}
	h := &c.Horizon
	switch {
	case endpoints == 0:
		panic("simulator: no replicas")
	case c.Router == nil || c.Source == nil:
		panic("simulator: no router, or no source")
	case c.ScrapeInterval < 0 || h.Requests < 0 || h.Duration < 0 || h.WarmUp < 0 || h.Drain < 0:
		panic(fmt.Sprintf("simulator: negative scrape interval %v or horizon %+v", c.ScrapeInterval, *h))
	}
}

func (p *Pool) check() {
	switch {
	case p.Timer == nil:
		panic(fmt.Sprintf("simulator: pool %q has no timer", p.Name))
	case p.Replicas < 0 || p.BlockTokens < 1 || p.KVBlocks < 1 || p.MaxNumSeqs < 1 || p.MaxNumBatchedTokens < 1 || p.MaxModelLen < 0:
		panic(fmt.Sprintf("simulator: pool %q: %d replicas, %d blocks of %d tokens, %d sequences, %d tokens a step, model length %d",
			p.Name, p.Replicas, p.KVBlocks, p.BlockTokens, p.MaxNumSeqs, p.MaxNumBatchedTokens, p.MaxModelLen))
	case p.Cost.QueueBase < 0 || p.Cost.QueuePerInputToken < 0 || p.Cost.PerOutputToken < 0:
		panic(fmt.Sprintf("simulator: pool %q: negative cost %+v", p.Name, p.Cost))
	}
}
