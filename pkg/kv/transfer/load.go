// SPDX-License-Identifier: Apache-2.0

package transfer

import (
	"math"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Load is what can be seen of a station, for metrics and for policies.
type Load struct {
	// InFlight counts the transfers that cross the station, those included that
	// wait for their latency. Moving counts those that share its bandwidth.
	InFlight, Moving int
	// BytesLeft is what the transfers in flight have yet to move, rounded up to
	// whole bytes; BytesMoved is what has crossed since the start, rounded down.
	BytesLeft, BytesMoved int64
	// Delay is how long the station takes for BytesLeft at its full bandwidth:
	// the wait of a newcomer that lets all others go first.
	Delay time.Duration
	// Busy is the time in which something moved. Shared is that time counted
	// once for each transfer that moved in it.
	Busy, Shared time.Duration
}

// Queue returns what waits at a station: InFlight, Moving, BytesLeft and Delay of
// its Load. It costs next to nothing where nothing does.
func (n *Network) Queue(now simtime.Time, at StationID) Load {
	n.run(now)
	if n.stations[at].inFlight == 0 {
		return Load{}
	}
	l := n.Load(now, at)
	return Load{InFlight: l.InFlight, Moving: l.Moving, BytesLeft: l.BytesLeft, Delay: l.Delay}
}

// MeanConcurrency is how many transfers shared the station while it was busy,
// on average; 0 where it never was.
func (l Load) MeanConcurrency() float64 {
	if l.Busy == 0 {
		return 0
	}
	return float64(l.Shared) / float64(l.Busy)
}

// Load returns the state of a station. It looks at each transfer that crosses it.
func (n *Network) Load(now simtime.Time, at StationID) Load {
	n.run(now)
	s := &n.stations[at]
	s.count(now)
	left, moving := n.left(at)
	moved := s.movedByEnded.plus(moving.minus(left.minus(s.waiting)))
	whole, _ := moved.over(partsPerByte)
	return Load{
		InFlight:   s.inFlight,
		Moving:     s.moving(),
		BytesLeft:  int64(min(left.overUp(partsPerByte), math.MaxInt64)),
		BytesMoved: int64(min(whole, math.MaxInt64)),
		Delay:      span(left.overUp(s.capacity)),
		Busy:       s.busy,
		Shared:     s.shared,
	}
}

// BytesLeft returns what a transfer in flight has yet to move, rounded up to
// whole bytes, and false where it has ended or was cancelled.
func (n *Network) BytesLeft(now simtime.Time, id ID) (int64, bool) {
	n.run(now)
	i, found := n.find(id)
	if !found {
		return 0, false
	}
	return int64(n.remaining(n.inFlight[i]).overUp(partsPerByte)), true
}

// Estimate returns how long a transfer that started now would take if, at each
// of its stations, all that is in flight went before it: the latencies, and then
// the time of the station that takes longest. Without company it is exact.
// Fair shares let a small transfer be earlier, and one that meets different
// transfers at different stations later.
func (n *Network) Estimate(now simtime.Time, bytes int64, stations ...StationID) time.Duration {
	n.run(now)
	n.check(bytes, stations)
	size := product(uint64(bytes), partsPerByte)
	var latency, longest time.Duration
	for _, at := range stations {
		left, _ := n.left(at)
		latency += n.stations[at].Latency
		longest = max(longest, span(left.plus(size).overUp(n.stations[at].capacity)))
	}
	return latency + longest
}

// left returns what the transfers in flight have yet to move through a station, and the size of
// those that move, in parts of a byte.
func (n *Network) left(at StationID) (left, moving wide) {
	s := &n.stations[at]
	left = s.waiting
	for _, flows := range [...][]*flow{s.members, s.others} {
		for _, f := range flows {
			left = left.plus(n.remaining(f))
			moving = moving.plus(f.size)
		}
	}
	return left, moving
}

// span returns a number of nanoseconds as a duration, at most the longest.
func span(nanoseconds uint64) time.Duration {
	return time.Duration(min(nanoseconds, math.MaxInt64))
}
