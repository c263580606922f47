// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// lastArrival notes the last request that a simulation takes, and tells a backlog of all.
type lastArrival struct {
	workload.Source
	backlog *backlog
	taken   int
	last    simtime.Time
}

// watchArrivals returns what notes them.
func watchArrivals(c *simulator.Config, b *backlog) *lastArrival {
	a := &lastArrival{Source: c.Source, backlog: b}
	c.Source = a
	return a
}

// Close implements [io.Closer].
func (a *lastArrival) Close() error { return workload.Close(a.Source) }

// Next implements [workload.Source].
func (a *lastArrival) Next() (workload.Request, bool) {
	r, ok := a.Source.Next()
	if ok {
		a.taken++
		a.last = r.Arrival
		a.backlog.arrive(r.Arrival)
	}
	return r, ok
}

// end returns the time from which on no request arrives, whatever the source has.
func (a *lastArrival) end(h simulator.Horizon) simtime.Time {
	end := simtime.Time(math.MaxInt64)
	if h.Duration > 0 {
		end = simtime.Time(h.Duration)
	}
	if h.Requests > 0 && a.taken >= h.Requests {
		end = min(end, a.last+1)
	}
	return end
}
