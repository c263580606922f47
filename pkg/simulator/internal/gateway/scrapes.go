// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
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
type scrapeSchedules []ScrapeSchedule

// Next is when the next endpoint is to be read; Never if none is.
func (t scrapeSchedules) Next() simtime.Time {
	at := simtime.Never
	for i := range t {
		at = min(at, t[i].next())
	}
	return at
}

// Due returns the next endpoint to be read and when, if it is not after now.
func (t scrapeSchedules) Due(now simtime.Time) (endpoint int32, at simtime.Time, ok bool) {
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

// ScrapeSchedule is the order in which endpoints' metrics are read, each at
// phase + k·interval, before anything else of that nanosecond. As all have one
// interval, it is the same round again and again. Reads that no policy will look
// at are left out.
type ScrapeSchedule struct {
	Interval time.Duration
	Phases   []simtime.Time // by endpoint, less than the interval
	Order    []int32        // those of the interval, by phase
	place    int
	round    simtime.Time // when the round under way began
}

// NewScrapeSchedule returns the order in which endpoints are read, each at its phase of every interval.
func NewScrapeSchedule(interval time.Duration, phases []simtime.Time, endpoints []int32) ScrapeSchedule {
	t := ScrapeSchedule{Interval: interval, Phases: phases, Order: endpoints}
	slices.SortFunc(t.Order, func(a, b int32) int { return cmp.Or(cmp.Compare(phases[a], phases[b]), cmp.Compare(a, b)) })
	return t
}

// next is when the next endpoint is to be read.
func (t *ScrapeSchedule) next() simtime.Time { return t.round + t.Phases[t.Order[t.place]] }

// due returns the next endpoint to be read and when, if it is not after now.
func (t *ScrapeSchedule) due(now simtime.Time) (endpoint int32, at simtime.Time, ok bool) {
	t.skip(now)
	at = t.next()
	if at > now {
		return 0, 0, false
	}
	endpoint = t.Order[t.place]
	t.place++
	if t.place == len(t.Order) {
		t.place = 0
		t.round = t.round.Add(t.Interval)
	}
	return endpoint, at, true
}

// skip leaves rounds out after which each endpoint is read again before now.
func (t *ScrapeSchedule) skip(now simtime.Time) {
	if late := now.Sub(t.next()); late >= 2*t.Interval {
		t.round = t.round.Add((late/t.Interval - 1) * t.Interval)
	}
}
