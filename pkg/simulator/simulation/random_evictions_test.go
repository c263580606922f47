// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"fmt"
	"slices"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// randomEvictions lets a router that holds requests, and hears of their ends, end
// some of those that it has sent.
func randomEvictions(c *choices, config *simulator.Config) {
	r := scatterOf(config)
	r.deaf = false
	r.every = simtime.Time(max(0, c.pick(40)-5))
}

// scatterEvictor ends up to two of the requests in flight whenever it is asked
// for the first time after a multiple of every: that which was sent last, and one
// that depends on the time.
type scatterEvictor struct {
	every    simtime.Time
	last     simtime.Time // counts the multiples until it was last asked
	left     int
	inFlight []int // in the order in which they were sent
}

func (r *scatterEvictor) sent(id int) { r.inFlight = append(r.inFlight, id) }

func (r *scatterEvictor) ended(id int) {
	r.inFlight = slices.DeleteFunc(r.inFlight, func(o int) bool { return o == id })
}

func (r *scatter) Evict(now simtime.Time) (int, bool) {
	if times := now / r.every; times > r.last {
		r.last, r.left = times, 2
	}
	n := len(r.inFlight)
	if n == 0 || r.left == 0 {
		return 0, false
	}
	id := r.inFlight[n-1]
	if r.left == 1 {
		id = r.inFlight[int(now)%n]
	}
	r.left--
	r.log = append(r.log, fmt.Sprint("evict ", id, " at ", now))
	return id, true
}
