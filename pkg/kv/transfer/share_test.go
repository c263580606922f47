// SPDX-License-Identifier: Apache-2.0

package transfer

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSettleAgainstRise compares a crowded network with one whose rates rise from nothing after each
// change. Sizes and bandwidths are alike, so that many stations are full at the same rate, or at one
// that differs by a remainder.
func TestSettleAgainstRise(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		settled, risen := New(), New()
		const stations = 40
		for range stations {
			s := Station{BytesPerSecond: []int64{50e9, 50e9, 50e9, 49_999_999_999, 3}[r.IntN(3+int(seed%3))]}
			settled.Add(s)
			risen.Add(s)
		}
		for settled.started < 600 {
			now := settled.now
			if next, ok := settled.Next(); ok && len(settled.inFlight) >= 10+int(seed)*10 {
				now = next
				if diff := cmp.Diff(settled.Advance(now), risen.Advance(now)); diff != "" {
					t.Fatalf("seed %d at %v: ends (-settled +risen):\n%s", seed, now, diff)
				}
			}
			// Some stations are busier than others.
			from, to := r.IntN(1+r.IntN(stations/2)), stations/2+r.IntN(stations/2)
			bytes := int64(1 + r.IntN(50))
			settled.Start(now, bytes, StationID(from), StationID(to))
			risen.Start(now, bytes, StationID(from), StationID(to))
			for at := range risen.stations {
				risen.touch(StationID(at))
			}
			risen.riseAnew()
			risen.clean()
			risen.schedule()
			if diff := cmp.Diff(rates(settled), rates(risen)); diff != "" {
				t.Fatalf("seed %d at %v: rates (-settled +risen):\n%s", seed, now, diff)
			}
		}
	}
}

// TestRoomAtTheWidestStation: while rates change, flows that other stations stop may have nearly 2^64
// shares of one that has less than 2^63. One share more for each must not wrap around.
func TestRoomAtTheWidestStation(t *testing.T) {
	s := newStation(Station{BytesPerSecond: MaxBytesPerSecond})
	s.others = make([]*flow, 2)
	for elsewhere, want := range map[uint64]bool{
		0: true, s.capacity - 2: true, s.capacity - 1: false, s.capacity: false, s.capacity + 1: false, 1<<64 - 2: false, 1<<64 - 1: false,
	} {
		if s.elsewhere.low = elsewhere; s.hasRoom() != want {
			t.Errorf("with %d of %d shares given: room is %v, want %v", elsewhere, s.capacity, !want, want)
		}
	}
}

// rates are those of the moving flows.
func rates(n *Network) map[ID]uint64 {
	all := map[ID]uint64{}
	for _, f := range n.inFlight {
		if f.moving {
			all[f.id] = n.stations[f.stop].rate
		}
	}
	return all
}
