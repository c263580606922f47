// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/engine"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// scrapePhase draws when an endpoint is scraped first, which its router knows by this
// number.
func scrapePhase(seed int64, endpoint int, interval int64) simtime.Time {
	stream := stats.NewStream(seed, "scrape/"+strconv.Itoa(endpoint))
	return simtime.Time(stream.IntN(int(interval)))
}

// scrapeSchedules are the schedules of the routers' intervals: one, unless routers of
// several models read metrics at intervals of their own, or no endpoint is scraped.
type scrapeSchedules []scrapeSchedule

// next is when the next endpoint is to be read; Never if none is.
func (t scrapeSchedules) next() simtime.Time {
	at := simtime.Never
	for i := range t {
		at = min(at, t[i].next())
	}
	return at
}

// due returns the next endpoint to be read and when, if it is not after now.
func (t scrapeSchedules) due(now simtime.Time) (endpoint int32, at simtime.Time, ok bool) {
	if len(t) == 0 {
		return 0, 0, false
	}
	first := &t[0]
	if len(t) > 1 {
		first.skip(now)
		for i := 1; i < len(t); i++ {
			if t[i].skip(now); t[i].next() < first.next() {
				first = &t[i]
			}
		}
	}
	return first.due(now)
}

// scrapeSchedule is the order in which endpoints' metrics are read, each at
// phase + k·interval, before anything else of that nanosecond. As all have one
// interval, it is the same round again and again. Reads that nobody will look
// at are left out.
type scrapeSchedule struct {
	interval time.Duration
	phases   []simtime.Time // by endpoint, less than the interval
	order    []int32        // those of the interval, by phase
	place    int
	round    simtime.Time // when the round under way began
}

func newScrapeSchedule(interval time.Duration, phases []simtime.Time, endpoints []int32) scrapeSchedule {
	t := scrapeSchedule{interval: interval, phases: phases, order: endpoints}
	slices.SortFunc(t.order, func(a, b int32) int { return cmp.Or(cmp.Compare(phases[a], phases[b]), cmp.Compare(a, b)) })
	return t
}

// next is when the next endpoint is to be read.
func (t *scrapeSchedule) next() simtime.Time { return t.round + t.phases[t.order[t.place]] }

// due returns the next endpoint to be read and when, if it is not after now.
func (t *scrapeSchedule) due(now simtime.Time) (endpoint int32, at simtime.Time, ok bool) {
	t.skip(now)
	at = t.next()
	if at > now {
		return 0, 0, false
	}
	endpoint = t.order[t.place]
	t.place++
	if t.place == len(t.order) {
		t.place = 0
		t.round = t.round.Add(t.interval)
	}
	return endpoint, at, true
}

// skip leaves rounds out after which each endpoint is read again before now.
func (t *scrapeSchedule) skip(now simtime.Time) {
	if late := now.Sub(t.next()); late >= 2*t.interval {
		t.round = t.round.Add((late/t.interval - 1) * t.interval)
	}
}

// scrapeUntil brings the router's view up to a time, its own nanosecond included.
func (g *gateway) scrapeUntil(now simtime.Time) {
	for {
		endpoint, at, ok := g.scrapes.due(now)
		if !ok {
			return
		}
		r := &g.cluster.Replicas[endpoint]
		r.Advance(at)
		g.read(r, at)
	}
}

// read puts what a replica's metrics endpoint shows into the view.
func (g *gateway) read(r *engine.Replica, at simtime.Time) {
	seen := &g.view.Scrapes[r.Index]
	now := r.Scraped(at)
	changed := now.Waiting != seen.Waiting || now.Running != seen.Running || now.KVUsage != seen.KVUsage ||
		now.Transfers != seen.Transfers || now.TransferDelay != seen.TransferDelay
	changed = g.readAdapters(r) || changed
	changed = g.readEngine(r, &now) || changed
	if changed && g.view.Changed != nil && len(g.view.Changed) <= len(g.cluster.Replicas) {
		g.view.Changed = append(g.view.Changed, r.Index)
	}
	*seen = now
}

// addScrapes draws when each endpoint is scraped that the router does not see as it is.
// Until its first scrape the router sees a replica as it starts: idle.
func (g *gateway) addScrapes(c *simulator.Config) {
	phases := make([]simtime.Time, len(g.cluster.Replicas))
	g.view = policy.View{Scrapes: make([]policy.Scrape, len(g.cluster.Replicas)), Traffic: g.policies.Traffic}
	number := map[int]int{} // of the next endpoint, by router
	var intervals []time.Duration
	endpoints := map[time.Duration][]int32{}
	for i := range g.cluster.Replicas {
		pool := &c.Pools[g.cluster.Replicas[i].Pool]
		g.view.Scrapes[i] = g.cluster.Replicas[i].Scraped(0)
		if pool.Live {
			g.live = append(g.live, int32(i))
			number[pool.Router]++
			continue
		}
		interval := c.ScrapeIntervalOf(pool)
		if endpoints[interval] == nil {
			intervals = append(intervals, interval)
		}
		endpoints[interval] = append(endpoints[interval], int32(i))
		phases[i] = scrapePhase(c.Seed, number[pool.Router], int64(interval))
		number[pool.Router]++
	}
	g.viewAdapters()
	g.viewEngines()
	g.viewPresence()
	g.changed = make([]int32, 0, len(g.cluster.Replicas)+1)
	for _, interval := range intervals {
		g.scrapes = append(g.scrapes, newScrapeSchedule(interval, phases, endpoints[interval]))
	}
}
