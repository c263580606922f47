// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/events"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// addClusterEvents queues what is known of the run before it begins.
func (s *simulation) addClusterEvents(c *simulator.Config) {
	s.gateway.Held.WakeUp = events.Idle(events.GatewayWakes, 0)
	if c.Horizon.WarmUp > 0 {
		s.events.Add(&events.Event{At: simtime.Time(c.Horizon.WarmUp), Kind: events.WarmUpEnds})
	}
	for i, d := range c.Disruptions {
		s.events.Add(&events.Event{At: d.At, Kind: events.DisruptionComes, Sequence: i})
	}
}

// applyClusterEvents applies the events above the replicas that come before an
// event of a time and kind.
func (s *simulation) applyClusterEvents(at simtime.Time, kind events.Kind) {
	for !s.Stopped {
		e := s.events.Next(at, kind)
		if e == nil {
			return
		}
		s.applyClusterEvent(e)
	}
}

func (s *simulation) applyClusterEvent(e *events.Event) {
	switch e.Kind {
	case events.WarmUpEnds:
		s.endWarmUp(e.At)
	case events.DisruptionComes:
		s.advanceToEvent(e.At, true)
		s.applyDisruption(s.disruptions[e.Sequence])
	case events.RequestTimesOut:
		s.applyTimeOut(e)
	case events.DelayEnds:
		s.advanceToEvent(e.At, s.gateway.RoutingFollowsReplicas())
		s.gateway.EndDelay(e.Request)
		s.CheckContext()
	case events.MonitorReads, events.NodeChanges, events.StageEnds, events.ScalerTicks:
		s.applyScaling(e)
	case events.GatewayWakes:
		s.advanceToEvent(e.At, s.gateway.RoutingFollowsReplicas())
		s.gateway.Release()
		if next := s.gateway.Held.WakeUp.At; next <= s.Now {
			panic(fmt.Sprintf("simulator: the router woke at %v and wakes again at %v", s.Now, next))
		}
		s.gateway.EvictRequested()
		s.CheckContext()
	default:
		panic(fmt.Sprintf("simulator: an event of kind %d at %v is queued", e.Kind, e.At))
	}
}

// applyTimeOut ends a request whose client gives up now. An answer that ends in this
// very nanosecond comes too late, and so does a first token.
func (s *simulation) applyTimeOut(e *events.Event) {
	id, at, number := e.Request, e.At, e.Sequence
	if s.gateway.WaitsOn(id, at) {
		return
	}
	s.advanceToEvent(at, true)
	q := &s.Requests.All[id]
	switch {
	case q.Phase() == request.None || q.Info.ID != number:
		// It has ended in the meantime.
	case s.gateway.WaitsOn(id, at):
	default:
		s.gateway.TimeOut(id)
	}
	s.CheckContext()
}

// applyScaling applies an event that concerns scaling. It does nothing where the run is over.
func (s *simulation) applyScaling(e *events.Event) {
	s.advanceToEvent(e.At, true)
	if s.cluster.Draining && s.gateway.InFlight == 0 && e.At > max(s.arrivalsEnd, s.gateway.LastEnd) {
		return
	}
	s.scaling.Apply(e)
	for _, o := range s.Observers {
		o.Settled(simulator.NoReplica)
	}
	s.CheckContext()
}

// endWarmUp starts the figures of the replicas afresh, unless the run is over by
// then. It comes before everything else of its nanosecond but the scrapes.
func (s *simulation) endWarmUp(at simtime.Time) {
	if s.cluster.Draining {
		s.scrapeWhileServing(at)
		s.gateway.Deliver(s.advanceServing(at))
		if s.gateway.InFlight == 0 && at > s.arrivalsEnd {
			return
		}
	} else {
		s.gateway.ScrapeUntil(at)
	}
	s.cluster.AdvanceAll(at)
	for i := range s.cluster.Replicas {
		s.cluster.Replicas[i].Restart(at)
	}
	s.scaling.Restart(at)
}

// applyDisruption applies a disruption, now, to all ranks of a replica. After the
// nanosecond in which the last request ends, it changes nothing but lifetimes.
func (s *simulation) applyDisruption(d simulator.Disruption) {
	ranks := s.cluster.RanksOf(d.Endpoint)
	for i := range ranks {
		switch d.Kind {
		case simulator.Fail:
			ranks[i].Lifetimes.End(d.At)
		case simulator.Recover:
			ranks[i].Lifetimes.Begin(d.At)
		}
	}
	if s.cluster.Draining && s.gateway.InFlight == 0 && d.At > max(s.arrivalsEnd, s.gateway.LastEnd) {
		return
	}
	for i := range ranks {
		s.gateway.SetDown(int(ranks[i].Index), d.Kind != simulator.Recover)
	}
	if d.Kind != simulator.Fail {
		return
	}
	s.gateway.Fail(ranks)
	for _, o := range s.Observers {
		o.Settled(simulator.NoReplica)
	}
}
