// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"strconv"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// The router reads each endpoint's metrics at phase + k·interval, before
// anything else of that nanosecond. Most of those reads would find nothing
// new, so none is an event: what a read at a tick would have seen is the
// state since the last change before the tick, and it is recorded when the
// state is about to change, or when the router looks.

// scrapePhase draws when an endpoint is scraped first.
func scrapePhase(seed int64, endpoint int, interval int64) simtime.Time {
	stream := stats.NewStream(seed, "scrape/"+strconv.Itoa(endpoint))
	return simtime.Time(stream.IntN(int(interval)))
}

// scrape brings the router's view of a replica up to the last tick at or
// before now. It comes before every change of what a scrape shows.
func (s *simulation) scrape(r *replica) {
	if s.now < r.nextScrape {
		return
	}
	missed := s.now.Sub(r.nextScrape) / s.scrapeInterval
	at := r.nextScrape.Add(missed * s.scrapeInterval)
	s.view.Scrapes[r.index] = r.metrics(at)
	r.nextScrape = at.Add(s.scrapeInterval)
}

// metrics is what the replica's metrics endpoint shows. Of the step under way
// it shows the batch and the blocks, and none of the results.
func (r *replica) metrics(at simtime.Time) policy.Scrape {
	return policy.Scrape{
		At:          at,
		Waiting:     r.waiting.len(),
		Running:     len(r.running),
		KVUsage:     r.cache.Usage(),
		BlockTokens: r.cache.BlockTokens(),
		Blocks:      r.cache.Blocks(),
	}
}
