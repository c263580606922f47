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
	open   func() workload.Listener
	source workload.Source
	// times are those of the arrivals that have been read and are not past, in order.
	times []simtime.Time
	ended bool
}

// rate returns the requests per second that arrive from one time to another, of users who
// do not wait for answers. It forgets what is before now: no later call asks for it.
func (f *futureArrivals) rate(now, from, to simtime.Time) float64 {
	if f.source == nil {
		f.source = workload.AnsweredAtOnce(f.open())
	}
	for !f.ended && (len(f.times) == 0 || f.times[len(f.times)-1] < to) {
		request, ok := f.source.Next()
		if f.ended = !ok; ok {
			f.times = append(f.times, request.Arrival)
		}
	}
	before := func(at simtime.Time) int {
		n, _ := slices.BinarySearch(f.times, at)
		return n
	}
	f.times = f.times[before(now):]
	return float64(before(to)-before(from)) / to.Sub(from).Seconds()
}
