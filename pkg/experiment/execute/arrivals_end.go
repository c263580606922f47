// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// lastArrival notes the last request that arrives, and tells a backlog of all.
type lastArrival struct {
	arrived int
	last    simtime.Time
}

// watchArrivals returns what notes them.
func watchArrivals(c *simulator.Config, b *backlog) *lastArrival {
	a := &lastArrival{}
	c.Arrived = func(at simtime.Time) {
		a.arrived++
		a.last = at
		b.arrive(at)
	}
	return a
}

// end returns the time from which on no request arrives, whatever the source has.
func (a *lastArrival) end(h simulator.Horizon) simtime.Time {
	end := simtime.Time(math.MaxInt64)
	if h.Duration > 0 {
		end = simtime.Time(h.Duration)
	}
	if h.Requests > 0 && a.arrived >= h.Requests {
		end = min(end, a.last+1)
	}
	return end
}
