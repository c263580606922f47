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

	inFlight int     // transfers in flight
	moving   []*flow // of them, those that move bytes, in any order
	// movedByEnded is what transfers that are no longer in flight moved, in parts.
	movedByEnded wide

	// fullAt is the rate at which the last division found the station full, or less.
	fullAt uint64

	counted simtime.Time // up to when busy and shared are
	busy    time.Duration
	shared  time.Duration

	// While bandwidth is divided: whether the station takes part, what is not given away yet, to
	// how many, and how much each could have.
	isCrossed           bool
	unassignedBandwidth uint64
	unassignedFlows     int
	shareEach           uint64
}

// neverFull is the rate of a station that is not full.
const neverFull = ^uint64(0)

func newStation(s Station) station {
	if s.Latency < 0 || s.BytesPerSecond < 1 || s.BytesPerSecond > MaxBytesPerSecond {
		panic(fmt.Sprintf("transfer: a station of %d bytes/s and latency %v", s.BytesPerSecond, s.Latency))
	}
	return station{Station: s, capacity: uint64(s.BytesPerSecond) * sharesPerByte, fullAt: neverFull}
}

// count brings the station's times up to now, before moving changes.
func (s *station) count(now simtime.Time) {
	if moving := len(s.moving); moving > 0 {
		d := now.Sub(s.counted)
		s.busy += d
		s.shared += d * time.Duration(moving)
	}
	s.counted = now
}

// remove takes out a flow that has ceased to move.
func (s *station) remove(f *flow) {
	last := len(s.moving) - 1
	s.moving[slices.Index(s.moving, f)] = s.moving[last]
	s.moving[last] = nil
	s.moving = s.moving[:last]
}
