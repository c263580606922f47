// SPDX-License-Identifier: Apache-2.0

package transfer

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// ID names a transfer of a Network. Transfers are numbered from 1 in the order
// in which they start.
type ID int64

// flow is a transfer in flight. It waits for the latencies of its stations,
// then it moves.
type flow struct {
	id    ID
	route []StationID
	size  wide         // parts
	due   simtime.Time // when it begins to move
	// moving says that it moves; its rate is that of the members of the station that stops it.
	moving bool
	stop   StationID
	// target is how many parts a member of that station has moved when the flow ends, place is
	// its place among the members.
	target wide
	place  int

	rises bool      // while rates rise
	next  StationID // the station at which its rate has ceased to rise
}

// after returns the time a number of nanoseconds after now, at most Never.
func after(now simtime.Time, nanoseconds uint64) simtime.Time {
	if nanoseconds > uint64(math.MaxInt64-now) {
		return simtime.Never
	}
	return now + simtime.Time(nanoseconds)
}
