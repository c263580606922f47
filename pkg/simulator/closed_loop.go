// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
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
	for !s.stopped {
		due, known := s.listener.Due()
		if !known {
			due = simtime.Never
		}
		limit := min(due, horizon)
		if s.inFlight > 0 && s.advanceToEnd(limit) {
			continue
		}
		switch {
		case known && due < horizon:
			return true
		case horizon < simtime.Never && (known || s.inFlight > 0):
			s.arrivalsEnd = horizon
		default:
			s.arrivalsEnd = s.now
		}
		return false
	}
	return false
}

// advanceToEnd brings the cluster up to the next end of a request that comes before
// a time, or to that time where none does, which it says.
func (s *simulation) advanceToEnd(limit simtime.Time) bool {
	s.heard = false
	for !s.stopped && !s.heard {
		at := min(limit, s.events.due(), s.scrapes.next())
		s.advanceTowardsEnd(at)
		if s.heard || at == limit {
			break
		}
		s.scrapeUntil(at)
		s.applyClusterEvents(at, drainEnds)
	}
	return s.heard
}

// advanceTowardsEnd brings the replicas and the gateway up to a time, or to an end
// before it.
func (s *simulation) advanceTowardsEnd(until simtime.Time) {
	s.awaitsEnd = true
	s.advanceInOrder(until)
	s.awaitsEnd = false
}

// deliverNext lets what reaches the gateway first do so, if that is before the next
// event of the replicas and before a time.
func (s *simulation) deliverNext(event, until simtime.Time) bool {
	if len(s.deliveries) == 0 || s.deliveries[0].at >= min(event, until) {
		return false
	}
	s.now = s.deliveries[0].at
	s.deliver(s.now + 1)
	return true
}

// hear tells the listener of an end.
func (s *simulation) hear(id int, at simtime.Time, how workload.Ending) {
	if s.listener != nil {
		s.listener.Ended(workload.End{ID: id, At: at, Ending: how})
		s.heard = true
	}
}

// heardAs is how clients see an end.
func (e ending) heardAs() workload.Ending {
	return [...]workload.Ending{endCompleted: workload.Completed, endFailed: workload.Failed, endEvicted: workload.Rejected}[e]
}
