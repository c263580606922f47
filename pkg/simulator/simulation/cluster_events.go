// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// addClusterEvents queues what is known of the run before it begins.
func (s *simulation) addClusterEvents(c *simulator.Config) {
	s.gateway.held.wakeUp = clusterEvent{at: simtime.Never, kind: gatewayWakes, place: notQueued}
	if c.Horizon.WarmUp > 0 {
		s.events.add(&clusterEvent{at: simtime.Time(c.Horizon.WarmUp), kind: warmUpEnds})
	}
	for i, d := range c.Disruptions {
		s.events.add(&clusterEvent{at: d.At, kind: disruptionComes, sequence: i})
	}
}

// applyClusterEvents applies the events above the replicas that come before an
// event of a time and kind.
func (s *simulation) applyClusterEvents(at simtime.Time, kind clusterEventKind) {
	for !s.stopped {
		e := s.events.next(at, kind)
		if e == nil {
			return
		}
		s.applyClusterEvent(e)
	}
}

func (s *simulation) applyClusterEvent(e *clusterEvent) {
	switch e.kind {
	case warmUpEnds:
		s.endWarmUp(e.at)
	case disruptionComes:
		s.advanceToEvent(e.at, true)
		s.applyDisruption(s.disruptions[e.sequence])
	case requestTimesOut:
		s.applyTimeOut(e)
	case delayEnds:
		s.advanceToEvent(e.at, s.gateway.routingFollowsReplicas())
		s.gateway.endDelay(e.request)
		s.checkContext()
	case monitorReads, nodeChanges, stageEnds, scalerTicks:
		s.applyScaling(e)
	case gatewayWakes:
		s.advanceToEvent(e.at, s.gateway.routingFollowsReplicas())
		s.gateway.release()
		if next := s.gateway.held.wakeUp.at; next <= s.now {
			panic(fmt.Sprintf("simulator: the router woke at %v and wakes again at %v", s.now, next))
		}
		s.gateway.evictRequested()
		s.checkContext()
	default:
		panic(fmt.Sprintf("simulator: an event of kind %d at %v is queued", e.kind, e.at))
	}
}
