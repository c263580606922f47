// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"cmp"
	"strconv"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// scrapeUntil takes every scrape until an event.
func (p *plain) scrapeUntil(e plainEvent) {
	for e.kind != plainDrainEnd && (!p.closed || len(p.Disruptions)+len(p.Scaling) > 0 || p.Policies.Routing.Queue != nil || p.Policies.Admission != nil) {
		next := p.replicas[0]
		for _, r := range p.replicas {
			if r.scrape < next.scrape {
				next = r
			}
		}
		if next.scrape > e.at {
			break
		}
		p.read(next, next.scrape)
		next.scrape = next.scrape.Add(p.Config.ScrapeIntervalOf(next.Pool))
	}
}

// look returns the view as it is to be seen now.
func (p *plain) look() *policy.View {
	p.view.Now = p.now
	for _, r := range p.replicas {
		if r.Live {
			p.read(r, p.now)
		}
	}
	p.hideRanks()
	return &p.view
}

// read puts what a replica shows into the view.
func (p *plain) read(r *plainReplica, at simtime.Time) {
	p.view.Scrapes[r.index] = p.scraped(r, at)
	p.scrapeAdapters(r)
	p.scrapeEngine(r)
}

func (p *plain) scraped(r *plainReplica, at simtime.Time) policy.Scrape {
	transfers, delay := p.congestion(r, at)
	return policy.Scrape{
		At: at, Transfers: transfers, TransferDelay: delay, Waiting: len(r.waiting) + len(r.loading), Running: len(r.running),
		KVUsage:     float64(r.cache.Used()) / float64(r.KVBlocks),
		BlockTokens: r.BlockTokens, Blocks: cmp.Or(r.ReportedBlocks, r.KVBlocks),
	}
}

// firstScrape draws when the next endpoint of a pool is scraped first.
func (p *plain) firstScrape(pool *simulator.Pool) simtime.Time {
	stream := stats.NewStream(p.Seed, "scrape/"+strconv.Itoa(p.scrapes[pool.Router]))
	return simtime.Time(stream.IntN(int(p.Config.ScrapeIntervalOf(pool))))
}
