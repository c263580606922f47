// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/events"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/measure"
)

// newSimulation builds the cluster, idle at time 0.
func newSimulation(ctx context.Context, c simulator.Config) *simulation {
	c.Check()
	labels := c.Source.Labels()
	s := &simulation{source: c.Source, horizon: c.Horizon, disruptions: c.Disruptions, labels: labels, events: &events.Queue{}}
	s.core = &core{
		ctx: ctx, seed: c.Seed, faults: c.Policies.Faults,
		listeners: listeners{c.Preempted, c.Stepped, c.Transferred, c.HandedOver},
		metrics:   measure.NewMetrics(c.Targets, c.TenantTargets, c.Horizon.WarmUp, c.Pools, labels),
	}
	s.cluster = &cluster{core: s.core, handoff: c.Handoff}
	s.gateway = s.newGateway(&c)
	s.cluster.gateway, s.cluster.kvEvents = s.gateway, c.Policies.Routing.KVEvents
	for i := range c.Pools {
		s.addPool(&c, i)
	}
	s.recordSeries(&c)
	s.cluster.watchCaches()
	s.cluster.connect(&c)
	s.gateway.addScrapes(&c)
	s.addClusterEvents(&c)
	s.addScaling(&c)
	for _, a := range c.Policies.Adaptations {
		a.MeasureFrom(simtime.Time(c.Horizon.WarmUp))
	}
	if c.CheckInvariants {
		s.observers = append(s.observers, newInvariants(s))
	}
	return s
}

func (s *simulation) newGateway(c *simulator.Config) *gateway {
	return &gateway{
		core: s.core, cluster: s.cluster, events: s.events, policies: c.Policies, listener: c.Listener,
		turns:       make([]int, s.metrics.Models),
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

// recordSeries begins the series of a run that asks for some.
func (s *simulation) recordSeries(c *simulator.Config) {
	if c.Series.Bins == 0 {
		return
	}
	replicas := s.cluster.replicas
	pools := make([]int, len(replicas))
	for i := range replicas {
		pools[i] = replicas[i].pool
	}
	s.series = measure.NewRecorder(&c.Series, len(s.pools), pools)
	for i := range replicas {
		replicas[i].gauges = s.series.Gauges(i)
		replicas[i].use.Blocks = &replicas[i].gauges.Blocks
	}
	for i, a := range c.Policies.Adaptations {
		s.series.AddWeights()
		a.Told = func(e *policy.WeightEpoch) { s.series.Passed(i, e) }
	}
	s.metrics.Ended = s.series.Ended
}
