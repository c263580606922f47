// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"fmt"
	"slices"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/engine"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/events"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// next takes the next request from the source, or closes the arrivals if there
// is none to take. Those at the horizon are not taken.
func (s *simulation) next() (w *workload.Request, ok bool) {
	w = &s.arriving
	h := &s.horizon
	s.arrivalsEnd = s.Now
	if h.Requests > 0 && s.gateway.Arrived == h.Requests {
		s.gateway.StopListening()
		return w, false
	}
	if s.gateway.Listener != nil && !s.awaitArrival() {
		s.gateway.StopListening()
		return w, false
	}
	if *w, ok = s.source.Next(); !ok {
		return w, false
	}
	if w.Arrival < s.Now {
		panic(fmt.Sprintf("simulator: request %d arrives at %v, after one at %v", w.ID, w.Arrival, s.Now))
	}
	if end := simtime.Time(h.Duration); end > 0 && w.Arrival >= end {
		s.arrivalsEnd = end
		return w, false
	}
	return w, true
}

// drain serves what is in flight when arrivals end, for at most as long as the
// horizon says, and returns when the last thing happened. What else happens at
// the deadline counts; what is then left in flight is cut off.
func (s *simulation) drain() simtime.Time {
	s.noteStability()
	deadline := s.arrivalsEnd.Add(s.horizon.Drain)
	if deadline < s.arrivalsEnd {
		deadline = simtime.Never
	}
	s.cluster.Draining = true
	s.applyClusterEvents(deadline, events.DrainEnds)
	after := deadline
	if deadline < simtime.Never {
		after++
	}
	s.gateway.Deliver(s.advanceServing(after))
	if s.gateway.InFlight == 0 {
		return max(s.arrivalsEnd, s.gateway.LastEnd)
	}
	if s.Ctx.Err() == nil {
		s.cutOff(deadline)
	}
	return deadline
}

// cutOff ends what the drain left in flight.
func (s *simulation) cutOff(at simtime.Time) {
	for id := range s.Requests.All {
		q := &s.Requests.All[id]
		if q.Phase() == request.None || q.Job {
			continue
		}
		if !q.Accepted() {
			q.Cell = s.Metrics.Arrived(at, simulator.NoPool, q)
		}
		s.Metrics.Unfinished(at, q)
		s.gateway.End(int32(id), at, request.EndUnfinished)
	}
}

// noteStability writes down what is known when arrivals end: before anything
// else of that nanosecond but what arrivals come after themselves.
func (s *simulation) noteStability() {
	if !slices.ContainsFunc(s.cluster.Replicas, func(r engine.Replica) bool { return r.Advisor != nil }) {
		return
	}
	s.applyClusterEvents(s.arrivalsEnd, events.RequestArrives)
	s.gateway.ScrapeUntil(s.arrivalsEnd)
	s.cluster.AdvanceAll(s.arrivalsEnd)
	for i := range s.cluster.Replicas {
		r := &s.cluster.Replicas[i]
		if r.Advisor != nil {
			state := r.Advisor.State(s.arrivalsEnd, r.Memory())
			r.Advisor.Last = &state
		}
	}
}
