// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// pull takes the next request from the source and schedules its arrival, or
// the horizon if there is none to take.
func (s *simulation) pull() {
	h := &s.horizon
	if h.Requests > 0 && s.arrived == h.Requests {
		s.agenda.push(s.now, kindHorizon, 0)
		return
	}
	next, ok := s.source.Next()
	if !ok {
		s.agenda.push(s.now, kindHorizon, 0)
		return
	}
	if next.Arrival < s.now {
		panic(fmt.Sprintf("simulator: request %d arrives at %v, after one at %v", next.ID, next.Arrival, s.now))
	}
	if end := simtime.Time(h.Duration); end > 0 && next.Arrival >= end {
		s.agenda.push(end, kindHorizon, 0)
		return
	}
	s.next = next
	s.agenda.push(next.Arrival, kindArrival, 0)
}

// closeArrivals starts the drain.
func (s *simulation) closeArrivals() {
	s.closed = true
	deadline := s.now.Add(s.horizon.Drain)
	if deadline < s.now {
		deadline = simtime.Never
	}
	s.agenda.push(deadline, kindDrainEnd, 0)
}

// cutOff ends what the drain left in flight.
func (s *simulation) cutOff() {
	for id := range s.requests.all {
		q := &s.requests.all[id]
		if q.phase == phaseNone {
			continue
		}
		s.metrics.unfinished(s.now, q)
		s.end(int32(id), endUnfinished)
	}
}
