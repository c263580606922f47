// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// futureArrivals counts the requests that a source will give, for policies that know the
// future. Times that it is asked for do not go back.
type futureArrivals struct {
	// open opens the source a second time.
	open   func() workload.Listener
	source workload.Source
	// times are those of the arrivals that have been read and may be asked for.
	times []simtime.Time
	ended bool
}

// rate returns the requests per second that arrive from one time to another, of users who
// do not wait for answers.
func (f *futureArrivals) rate(from, to simtime.Time) float64 {
	if f.source == nil {
		f.source = workload.AnsweredAtOnce(f.open())
	}
	for !f.ended && (len(f.times) == 0 || f.times[len(f.times)-1] < to) {
		request, ok := f.source.Next()
		if f.ended = !ok; ok {
			f.times = append(f.times, request.Arrival)
		}
	}
	past, n := 0, 0
	for _, at := range f.times {
		switch {
		case at < from:
			past++
		case at < to:
			n++
		}
	}
	f.times = f.times[past:]
	return float64(n) / to.Sub(from).Seconds()
}
