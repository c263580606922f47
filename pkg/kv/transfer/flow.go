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
	id     ID
	route  []StationID
	moving bool
	rises  bool // while bandwidth is divided
	// due is when it begins to move, or, while it moves, when it ends.
	due simtime.Time

	size      wide         // parts
	remaining wide         // parts, at the time since
	rate      uint64       // shares: parts per nanosecond, from then on
	since     simtime.Time // when the rate last changed
}

// remainingAt returns how many parts are left at a time before the flow ends. It is
// a product of integers: whoever goes in two steps arrives where one leads.
func (f *flow) remainingAt(now simtime.Time) wide {
	return f.remaining.minus(product(f.rate, uint64(now-f.since)))
}

// setRate changes the speed from now on. A rate that stays the same changes
// nothing, not even the time at which the flow was last brought up to date.
func (f *flow) setRate(rate uint64, now simtime.Time) {
	if rate == f.rate {
		return
	}
	f.remaining = f.remainingAt(now)
	f.since = now
	f.rate = rate
	f.due = after(now, f.remaining.overUp(rate))
}

// after returns the time a number of nanoseconds after now, at most Never.
func after(now simtime.Time, nanoseconds uint64) simtime.Time {
	if nanoseconds > uint64(math.MaxInt64-now) {
		return simtime.Never
	}
	return now + simtime.Time(nanoseconds)
}
