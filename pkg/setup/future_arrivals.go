// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// futureArrivals counts the requests that a source will give, for policies that know the
// future.
type futureArrivals struct {
	// open opens the source a second time.
	open func() workload.Listener
	// router is the index of a request's router.
	router func(*workload.Request) int
	source workload.Source
	// times are those of the arrivals that have been read and are not past, in order, by router.
	times map[int][]simtime.Time
	last  simtime.Time // of those that have been read
	ended bool
}

// rate returns the requests per second that arrive for a router from one time to another, of users
// who do not wait for answers. It forgets what is before now: no later call for the router asks for it.
func (f *futureArrivals) rate(router int, now, from, to simtime.Time) float64 {
	if f.source == nil {
		f.source, f.times = workload.AnsweredAtOnce(f.open()), map[int][]simtime.Time{}
	}
	for !f.ended && f.last < to {
		request, ok := f.source.Next()
		if f.ended = !ok; ok {
			of := f.router(&request)
			f.times[of], f.last = append(f.times[of], request.Arrival), request.Arrival
		}
	}
	times := f.times[router]
	before := func(at simtime.Time) int {
		n, _ := slices.BinarySearch(times, at)
		return n
	}
	times = times[before(now):]
	f.times[router] = times
	return float64(before(to)-before(from)) / to.Sub(from).Seconds()
}
