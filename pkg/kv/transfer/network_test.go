// SPDX-License-Identifier: Apache-2.0

package transfer_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/paniccheck"
	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

const (
	kilobyte = int64(1_000)
	gigabyte = int64(1_000_000_000) // and, as bandwidth, one byte a nanosecond
)

// act is a transfer of a story.
type act struct {
	at    simtime.Time
	bytes int64
	over  []transfer.StationID
	// cancelled is when it is taken back; 0 for never.
	cancelled simtime.Time
}

func over(stations ...transfer.StationID) []transfer.StationID { return stations }

// tell plays a story, whose acts and cancels are in order of time, and returns
// all ends.
func tell(stations []transfer.Station, acts []act) []transfer.Done {
	n := transfer.New(stations...)
	var ends []transfer.Done
	ids := map[transfer.ID]simtime.Time{}
	until := func(now simtime.Time) {
		for {
			next, ok := n.Next()
			if !ok || next > now {
				return
			}
			ends = append(ends, n.Advance(next)...)
		}
	}
	cancel := func(now simtime.Time) {
		for id := transfer.ID(1); int(id) <= len(ids); id++ {
			if at := ids[id]; at > 0 && at <= now {
				until(at)
				n.Cancel(at, id)
				ids[id] = 0
			}
		}
	}
	for _, a := range acts {
		cancel(a.at)
		until(a.at)
		ids[n.Start(a.at, a.bytes, a.over...)] = a.cancelled
	}
	cancel(simtime.Never - 1)
	until(simtime.Never - 1)
	return ends
}

func TestEnds(t *testing.T) {
	one := []transfer.Station{{BytesPerSecond: gigabyte}}
	slow := []transfer.Station{{BytesPerSecond: gigabyte, Latency: 100 * time.Nanosecond}}
	// A wide link between a narrow reader and a wide one.
	fan := []transfer.Station{
		{BytesPerSecond: 1 * gigabyte},  // 0: a slow disk
		{BytesPerSecond: 10 * gigabyte}, // 1: a link
		{BytesPerSecond: 20 * gigabyte}, // 2: a memory
	}
	for name, tc := range map[string]struct {
		stations []transfer.Station
		acts     []act
		want     []transfer.Done
	}{
		"alone: latency and bytes by bandwidth": {
			slow, []act{{at: 7, bytes: 1000, over: over(0)}},
			[]transfer.Done{{ID: 1, At: 1107}},
		},
		"alone: rounded up to the nanosecond": {
			[]transfer.Station{{BytesPerSecond: 3 * gigabyte}},
			[]act{{bytes: 1000, over: over(0)}},
			[]transfer.Done{{ID: 1, At: 334}},
		},
		"alone: an exact end is not rounded": {
			[]transfer.Station{{BytesPerSecond: 3 * gigabyte}},
			[]act{{bytes: 999, over: over(0)}},
			[]transfer.Done{{ID: 1, At: 333}},
		},
		"alone through three: the latencies add up, the narrowest decides": {
			[]transfer.Station{
				{BytesPerSecond: 4 * gigabyte, Latency: 5},
				{BytesPerSecond: 2 * gigabyte, Latency: 70},
				{BytesPerSecond: 8 * gigabyte, Latency: 1},
			},
			[]act{{bytes: 1000, over: over(0, 1, 2)}},
			[]transfer.Done{{ID: 1, At: 576}},
		},
		"two have half each": {
			one, []act{{bytes: 1000, over: over(0)}, {bytes: 1000, over: over(0)}},
			[]transfer.Done{{ID: 1, At: 2000}, {ID: 2, At: 2000}},
		},
		"three have a third each, to the nanosecond": {
			one, []act{{bytes: 1000, over: over(0)}, {bytes: 1000, over: over(0)}, {bytes: 1000, over: over(0)}},
			[]transfer.Done{{ID: 1, At: 3000}, {ID: 2, At: 3000}, {ID: 3, At: 3000}},
		},
		// Alone to 500, halves to 700 (100 each), then thirds: the second and the
		// third have 400 and 300 left, the first 400. The third ends after 900 at
		// 1600, the others have 100 left each and end at 1800.
		"a third that starts midway": {
			one, []act{
				{at: 0, bytes: 1000, over: over(0)},
				{at: 500, bytes: 500, over: over(0)},
				{at: 700, bytes: 300, over: over(0)},
			},
			[]transfer.Done{{ID: 3, At: 1600}, {ID: 1, At: 1800}, {ID: 2, At: 1800}},
		},
		"a share is divided anew when one ends": {
			one, []act{{bytes: 1000, over: over(0)}, {bytes: 200, over: over(0)}},
			[]transfer.Done{{ID: 2, At: 400}, {ID: 1, At: 1200}},
		},
		"a narrow station does not hold back those that do not cross it": {
			fan, []act{
				{bytes: 1000, over: over(0, 1, 2)}, // 1 byte/ns by the disk
				{bytes: 9000, over: over(1, 2)},    // what the link has left
			},
			[]transfer.Done{{ID: 1, At: 1000}, {ID: 2, At: 1000}},
		},
		"what one cannot use goes to the others in equal shares": {
			fan, []act{
				{bytes: 1000, over: over(0, 1)}, // 1 byte/ns
				{bytes: 4500, over: over(1)},    // 4.5
				{bytes: 4500, over: over(1, 2)}, // 4.5
				{bytes: 15_500, over: over(2)},  // 15.5
				{at: 1000, bytes: 0, over: over(2)},
			},
			[]transfer.Done{{ID: 1, At: 1000}, {ID: 2, At: 1000}, {ID: 3, At: 1000}, {ID: 4, At: 1000}, {ID: 5, At: 1000}},
		},
		"one that waits for its latency takes no share": {
			[]transfer.Station{{BytesPerSecond: gigabyte}, {BytesPerSecond: gigabyte, Latency: 300}},
			[]act{{bytes: 400, over: over(0)}, {bytes: 1000, over: over(0, 1)}},
			[]transfer.Done{{ID: 1, At: 500}, {ID: 2, At: 1400}},
		},
		"a cancelled one frees its share": {
			one, []act{{bytes: 1000, over: over(0)}, {bytes: 1000, over: over(0), cancelled: 500}},
			[]transfer.Done{{ID: 1, At: 1250}},
		},
		"one cancelled while it waits was never there": {
			slow, []act{{bytes: 1000, over: over(0)}, {bytes: 1000, over: over(0), cancelled: 50}},
			[]transfer.Done{{ID: 1, At: 1100}},
		},
		"no bytes: latency only, and no share": {
			slow, []act{{bytes: 1000, over: over(0)}, {at: 10, bytes: 0, over: over(0)}},
			[]transfer.Done{{ID: 2, At: 110}, {ID: 1, At: 1100}},
		},
		"no bytes and no latency: at once": {
			one, []act{{at: 10, bytes: 0, over: over(0)}},
			[]transfer.Done{{ID: 1, At: 10}},
		},
		"the same end by different ways: in order of ID": {
			fan, []act{
				{at: 0, bytes: 20_000, over: over(2)},
				{at: 0, bytes: 1000, over: over(0)},
				{at: 500, bytes: 5000, over: over(1)},
			},
			[]transfer.Done{{ID: 1, At: 1000}, {ID: 2, At: 1000}, {ID: 3, At: 1000}},
		},
		"one that starts when another ends does not slow it down": {
			one, []act{{bytes: 1000, over: over(0)}, {at: 1000, bytes: 1000, over: over(0)}},
			[]transfer.Done{{ID: 1, At: 1000}, {ID: 2, At: 2000}},
		},
		"a byte a second, and more transfers than bytes": {
			[]transfer.Station{{BytesPerSecond: 1}},
			[]act{{bytes: 1, over: over(0)}, {bytes: 1, over: over(0)}, {bytes: 1, over: over(0)}},
			[]transfer.Done{{ID: 1, At: 3e9}, {ID: 2, At: 3e9}, {ID: 3, At: 3e9}},
		},
		"the largest at the highest speed": {
			[]transfer.Station{{BytesPerSecond: transfer.MaxBytesPerSecond}},
			[]act{{bytes: math.MaxInt64, over: over(0)}},
			// 2^63-1 bytes at 12,797,441,498,577 a second.
			[]transfer.Done{{ID: 1, At: 720_720_000_000_029}},
		},
		"one that would outlast time does not end": {
			[]transfer.Station{{BytesPerSecond: 1}},
			[]act{{bytes: math.MaxInt64, over: over(0)}},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tell(tc.stations, tc.acts)); diff != "" {
				t.Errorf("ends (-want +got):\n%s", diff)
			}
		})
	}
}

// TestQueriesChangeNothing: a network that is advanced in one leap and one that is
// looked at in every nanosecond report the same ends, though thirty transfers
// share in ratios that do not divide evenly.
func TestQueriesChangeNothing(t *testing.T) {
	build := func() *transfer.Network {
		n := transfer.New(
			transfer.Station{BytesPerSecond: 999_999_937, Latency: 17},
			transfer.Station{BytesPerSecond: 7_000_000_001},
			transfer.Station{BytesPerSecond: 3_333_333_333, Latency: 5},
		)
		for i := range int64(30) {
			first := transfer.StationID(i % 3)
			n.Start(simtime.Time(i*i), 100+i*i*i%1009, first, (first+1+transfer.StationID(i%2))%3)
		}
		return n
	}
	const end = 60_000
	leap, steps := build(), build()
	var stepped []transfer.Done
	for now := simtime.Time(29 * 29); now <= end; now++ {
		steps.Load(now, transfer.StationID(now%3))
		steps.BytesLeft(now, transfer.ID(now%30))
		stepped = append(stepped, steps.Advance(now)...)
	}
	if diff := cmp.Diff(leap.Advance(end), stepped); diff != "" {
		t.Errorf("ends (-one leap +steps of 1 ns):\n%s", diff)
	}
	if len(stepped) != 30 {
		t.Errorf("%d of 30 have ended", len(stepped))
	}
}

// TestOrderOfReports: what Advance is called for late is reported in order of
// time, then of ID, and once.
func TestOrderOfReports(t *testing.T) {
	n := transfer.New(transfer.Station{BytesPerSecond: gigabyte}, transfer.Station{BytesPerSecond: gigabyte})
	n.Start(0, 3000, 0) // ends at 3000
	n.Start(0, 1000, 1) // at 2000, as the next
	n.Start(0, 1000, 1)
	n.Start(2500, 0, 1) // at once, unreported so far
	if next, ok := n.Next(); !ok || next != 2000 {
		t.Errorf("Next is %v, %v: want the oldest end not reported, 2µs", next, ok)
	}
	want := []transfer.Done{{ID: 2, At: 2000}, {ID: 3, At: 2000}, {ID: 4, At: 2500}, {ID: 1, At: 3000}}
	if diff := cmp.Diff(want, n.Advance(5000)); diff != "" {
		t.Errorf("ends (-want +got):\n%s", diff)
	}
	if again := n.Advance(5000); len(again) > 0 {
		t.Errorf("reported again: %v", again)
	}
	if next, ok := n.Next(); ok {
		t.Errorf("an empty network has a next change at %v", next)
	}
}

func TestCancel(t *testing.T) {
	n := transfer.New(transfer.Station{BytesPerSecond: gigabyte})
	moving, ended := n.Start(0, 1000, 0), n.Start(0, 100, 0)
	for _, tc := range []struct {
		name string
		at   simtime.Time
		id   transfer.ID
		want bool
	}{
		{"one that has ended and is not reported", 200, ended, false},
		{"one that moves", 200, moving, true},
		{"a second time", 200, moving, false},
		{"one that never was", 200, 99, false},
	} {
		if got := n.Cancel(tc.at, tc.id); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
	if diff := cmp.Diff([]transfer.Done{{ID: ended, At: 200}}, n.Advance(5000)); diff != "" {
		t.Errorf("ends (-want +got):\n%s", diff)
	}
}

func TestMisuse(t *testing.T) {
	fast := transfer.Station{BytesPerSecond: gigabyte}
	for name, misuse := range map[string]func(){
		"no bandwidth":         func() { transfer.New(transfer.Station{}) },
		"too much bandwidth":   func() { transfer.New(transfer.Station{BytesPerSecond: transfer.MaxBytesPerSecond + 1}) },
		"a negative latency":   func() { transfer.New(transfer.Station{BytesPerSecond: 1, Latency: -1}) },
		"no stations":          func() { transfer.New(fast).Start(0, 1) },
		"an unknown station":   func() { transfer.New(fast).Start(0, 1, 1) },
		"a station twice":      func() { transfer.New(fast).Start(0, 1, 0, 0) },
		"negative bytes":       func() { transfer.New(fast).Start(0, -1, 0) },
		"time that goes back":  func() { n := transfer.New(fast); n.Advance(5); n.Advance(4) },
		"a look into the past": func() { n := transfer.New(fast); n.Advance(5); n.Load(4, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			defer paniccheck.Want(t, "did not panic")
			misuse()
		})
	}
}
