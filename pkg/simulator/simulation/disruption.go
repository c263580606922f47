// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// advanceToEvent brings all that routing depends on up to what happens between
// arrivals. Where replicas need not be advanced for that, all says whether they
// are.
func (s *simulation) advanceToEvent(at simtime.Time, all bool) {
	switch {
	case s.cluster.Draining:
		s.scrapeWhileServing(at)
		s.gateway.Deliver(s.advanceServing(at))
	case all:
		s.gateway.ScrapeUntil(at)
		s.cluster.AdvanceAll(at)
		s.gateway.Deliver(at)
	default:
		s.gateway.ScrapeUntil(at)
		s.gateway.Deliver(at)
	}
	s.Now = at
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
