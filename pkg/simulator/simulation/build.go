// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"cmp"
	"context"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/engine"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/events"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/fleet"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/gateway"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/measure"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/run"
)

// newSimulation builds the cluster, idle at time 0.
func newSimulation(ctx context.Context, c simulator.Config) *simulation {
	c.Check()
	labels := c.Source.Labels()
	s := &simulation{source: c.Source, horizon: c.Horizon, disruptions: c.Disruptions, labels: labels, events: &events.Queue{}}
	s.State = &run.State{
		Ctx: ctx, Seed: c.Seed, Faults: cmp.Or(c.Policies.Faults, &policy.Faults{}),
		Listeners: run.Listeners{Preempted: c.Preempted, Stepped: c.Stepped, Transferred: c.Transferred, HandedOver: c.HandedOver},
		Metrics:   measure.NewMetrics(c.Targets, c.TenantTargets, c.Horizon.WarmUp, c.Pools, labels),
	}
	s.Metrics.CountByRouter(&c)
	s.cluster = engine.New(s.State, &c)
	s.gateway = gateway.New(s.State, s.cluster, s.events, &c)
	s.cluster.Gateway = s.gateway
	for i := range c.Pools {
		s.pools = append(s.pools, c.Pools[i].Name)
	}
	s.recordSeries(&c)
	s.addClusterEvents(&c)
	s.scaling = fleet.New(s.State, s.gateway, s.cluster, s.events, &c)
	for _, a := range c.Policies.Adaptations {
		a.MeasureFrom(simtime.Time(c.Horizon.WarmUp))
	}
	if c.CheckInvariants {
		s.Observers = append(s.Observers, newInvariants(s))
	}
	return s
}

// recordSeries begins the series of a run that asks for some.
func (s *simulation) recordSeries(c *simulator.Config) {
	if c.Series.Bins == 0 {
		return
	}
	replicas := s.cluster.Replicas
	pools := make([]int, len(replicas))
	for i := range replicas {
		pools[i] = replicas[i].Pool
	}
	s.Series = measure.NewRecorder(&c.Series, len(s.pools), pools)
	for i := range replicas {
		replicas[i].Gauges = s.Series.Gauges(i)
		replicas[i].Use.Blocks = &replicas[i].Gauges.Blocks
	}
	for i, a := range c.Policies.Adaptations {
		s.Series.AddWeights()
		a.Told = func(e *policy.WeightEpoch) { s.Series.Passed(i, e) }
	}
	s.Metrics.Ended = s.Series.Ended
}
