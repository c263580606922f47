// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/events"
)

// awaitArrival brings the cluster up to the next arrival of a source that hears of
// ends: to the earlier of the arrival that is known and the next end, again and
// again, since each end may bring an earlier arrival. It returns false and closes
// the arrivals where none comes before the horizon.
func (s *simulation) awaitArrival() bool {
	horizon := simtime.Never
	if d := s.horizon.Duration; d > 0 {
		horizon = simtime.Time(d)
	}
	for !s.Stopped {
		due, known := s.gateway.Listener.Due()
		if !known {
			due = simtime.Never
		}
		limit := min(due, horizon)
		if s.gateway.InFlight > 0 && s.advanceToEnd(limit) {
			continue
		}
		switch {
		case known && due < horizon:
			return true
		case horizon < simtime.Never && (known || s.gateway.InFlight > 0):
			s.arrivalsEnd = horizon
		default:
			s.arrivalsEnd = s.Now
		}
		return false
	}
	return false
}

// advanceToEnd brings the cluster up to the next end of a request that comes before
// a time, or to that time where none does, which it says.
func (s *simulation) advanceToEnd(limit simtime.Time) bool {
	s.gateway.AwaitEnd()
	for !s.Stopped && !s.gateway.Heard() {
		at := min(limit, s.events.Due(), s.gateway.Scrapes.Next())
		s.advanceTowardsEnd(at)
		if s.gateway.Heard() || at == limit {
			break
		}
		s.gateway.ScrapeUntil(at)
		s.applyEventsUntilEnd(at)
	}
	return s.gateway.Heard()
}

// applyEventsUntilEnd applies the events above the replicas up to a time, or up to the end of a
// request: what the listener sends then comes before the later events of the nanosecond.
func (s *simulation) applyEventsUntilEnd(at simtime.Time) {
	for !s.Stopped && !s.gateway.Heard() {
		e := s.events.Next(at, events.DrainEnds)
		if e == nil {
			return
		}
		s.applyClusterEvent(e)
	}
}

// advanceTowardsEnd brings the replicas and the gateway up to a time, or to an end
// before it.
func (s *simulation) advanceTowardsEnd(until simtime.Time) {
	s.cluster.AwaitsEnd = true
	s.cluster.AdvanceInOrder(until)
	s.cluster.AwaitsEnd = false
}
