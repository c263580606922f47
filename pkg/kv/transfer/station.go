// SPDX-License-Identifier: Apache-2.0

package transfer

import (
	"fmt"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Station is what transfers cross: a link, or one side of a device. Its
// bandwidth is shared by all that cross it.
type Station struct {
	// Latency passes before the first byte of a transfer moves. A transfer
	// takes no bandwidth while it waits.
	Latency time.Duration
	// BytesPerSecond is at least 1 and at most MaxBytesPerSecond.
	BytesPerSecond int64
}

// StationID names a station of a Network: 0 for the first, and so on.
type StationID int

// sharesPerByte is how many shares a byte per second is made of, and with it
// the smallest share of a bandwidth there is. It is the least common multiple of
// 1 to 16: any bandwidth divides evenly among up to sixteen transfers. With
// several stations the denominators multiply; those of up to eight transfers
// still divide it.
const sharesPerByte = 720_720

// partsPerByte is how many parts a byte is made of, so that a share of one for
// one nanosecond moves one part.
const partsPerByte = 1_000_000_000 * sharesPerByte

// MaxBytesPerSecond keeps shares within 63 bits: 12.8 TB/s.
const MaxBytesPerSecond = (1<<63 - 1) / sharesPerByte

// station is a Station in use.
type station struct {
	Station
	capacity uint64 // shares

	inFlight int // transfers in flight
	// members are the moving flows whose rate this station limits, others those that another
	// station of their route limits, in any order.
	members members
	others  []*flow
	// crossings counts the members that cross each other station.
	crossings []crossing
	// rate is that of each member, and elsewhere the sum of the rates of the others, in shares:
	// parts per nanosecond. While bandwidth is divided, that sum may be more than 64 bits hold.
	rate      uint64
	elsewhere wide
	// moved is how many parts a flow would have moved up to since that was a member from the start.
	moved wide
	since simtime.Time

	waiting      wide // what the flows have to move that wait for their latencies, in parts
	movedByEnded wide // what transfers moved that are no longer in flight, in parts

	counted simtime.Time // up to when busy and shared are
	busy    time.Duration
	shared  time.Duration

	// While bandwidth is divided: whether something has changed at the station, and whether its rate
	// is yet to be set.
	isTouched, isOpen bool
	// While rates rise: what is not given away yet, to how many, how much each could have, and the rate
	// of those that it has stopped.
	unassignedBandwidth uint64
	unassignedFlows     int
	shareEach, level    uint64
}

func newStation(s Station) station {
	if s.Latency < 0 || s.BytesPerSecond < 1 || s.BytesPerSecond > MaxBytesPerSecond {
		panic(fmt.Sprintf("transfer: a station of %d bytes/s and latency %v", s.BytesPerSecond, s.Latency))
	}
	return station{Station: s, capacity: uint64(s.BytesPerSecond) * sharesPerByte}
}

// crossing is how many members of a station cross another one.
type crossing struct {
	at    StationID
	flows uint64
}

// cross counts a member that crosses another station, or no longer does.
func (s *station) cross(other StationID, change int) {
	at := slices.IndexFunc(s.crossings, func(c crossing) bool { return c.at == other })
	if at < 0 {
		at = len(s.crossings)
		s.crossings = append(s.crossings, crossing{at: other})
	}
	c := &s.crossings[at]
	if c.flows += uint64(change); c.flows == 0 {
		last := len(s.crossings) - 1
		s.crossings[at] = s.crossings[last]
		s.crossings = s.crossings[:last]
	}
}

// moving counts the flows that move through the station.
func (s *station) moving() int { return len(s.members) + len(s.others) }

// count brings the station's times up to now, before the flows that move change.
func (s *station) count(now simtime.Time) {
	if moving := s.moving(); moving > 0 {
		d := now.Sub(s.counted)
		s.busy += d
		s.shared += d * time.Duration(moving)
	}
	s.counted = now
}

// movedAt is moved, at a time from since on.
func (s *station) movedAt(now simtime.Time) wide {
	return s.moved.plus(product(s.rate, uint64(now-s.since)))
}

// catchUp brings moved up to now, before the rate changes. Moved is a sum of products of integers,
// so two catch-ups give exactly what one over the whole time gives.
func (s *station) catchUp(now simtime.Time) {
	s.moved, s.since = s.movedAt(now), now
}

// firstEnd is when the first of the members ends at the present rate.
func (s *station) firstEnd() simtime.Time {
	if len(s.members) == 0 {
		return simtime.Never
	}
	return after(s.since, s.members[0].target.minus(s.moved).overUp(s.rate))
}

// share is what each member could have if there were a number more of them.
func (s *station) share(more int) uint64 {
	n := uint64(len(s.members) + more)
	if n == 0 || s.isOverfull() {
		return 0
	}
	return (s.capacity - s.elsewhere.low) / n
}

// hasRoom says that the station stops no flow, and would not if each had one share more.
func (s *station) hasRoom() bool {
	return len(s.members) == 0 && !s.isOverfull() && uint64(len(s.others)) <= s.capacity-s.elsewhere.low
}

// isOverfull says that the others alone have more than there is.
func (s *station) isOverfull() bool { return s.elsewhere.high > 0 || s.elsewhere.low > s.capacity }

// removeOther takes out one of the others.
func (s *station) removeOther(f *flow) {
	last := len(s.others) - 1
	s.others[slices.Index(s.others, f)] = s.others[last]
	s.others[last] = nil
	s.others = s.others[:last]
}
