// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"windtunnel.dev/windtunnel/pkg/simtime"
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

// advanceServing is advanceAll when no more requests arrive: once all have been
// served, and all streams have ended, nothing else happens. It returns that
// time, if it comes before.
func (s *simulation) advanceServing(until simtime.Time) simtime.Time {
	s.cluster.DrainBound = 0
	s.cluster.AdvanceAll(until)
	if s.cluster.Serving == 0 {
		until = min(until, max(s.arrivalsEnd, s.gateway.StreamsEnd())+1)
	}
	s.cluster.DrainBound = until
	s.cluster.AdvanceAll(until)
	return until
}

// scrapeWhileServing is look when no more requests arrive: as long as some are served.
func (s *simulation) scrapeWhileServing(now simtime.Time) {
	for {
		endpoint, at, ok := s.gateway.Scrapes.Due(now)
		if !ok {
			return
		}
		s.advanceServing(at)
		if s.cluster.Serving == 0 && max(s.arrivalsEnd, s.gateway.StreamsEnd()) < at {
			return
		}
		s.gateway.Read(&s.cluster.Replicas[endpoint], at)
	}
}
