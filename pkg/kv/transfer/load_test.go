// SPDX-License-Identifier: Apache-2.0

package transfer_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// TestLoad follows one story: two transfers through a station of one byte a
// nanosecond and a latency of 100 ns, the second cancelled.
func TestLoad(t *testing.T) {
	n := transfer.New(transfer.Station{BytesPerSecond: gigabyte, Latency: 100})
	n.Start(0, 1000, 0)
	second := n.Start(300, 1001, 0)
	for _, tc := range []struct {
		name string
		at   simtime.Time
		want transfer.Load
	}{
		{"one alone, 300 ns ahead", 350, transfer.Load{
			InFlight: 2, Moving: 1, BytesLeft: 750 + 1001, BytesMoved: 250, Delay: 1751, Busy: 250, Shared: 250,
		}},
		{"both share", 501, transfer.Load{
			InFlight: 2, Moving: 2, BytesLeft: 1600, BytesMoved: 401, Delay: 1600, Busy: 401, Shared: 502,
		}},
		{"the first goes on alone", 603, transfer.Load{
			InFlight: 1, Moving: 1, BytesLeft: 598, BytesMoved: 503, Delay: 598, Busy: 503, Shared: 705,
		}},
		{"all is over", 5000, transfer.Load{BytesMoved: 1101, Busy: 1101, Shared: 1303}},
	} {
		if tc.at == 603 {
			n.Cancel(602, second)
		}
		if diff := cmp.Diff(tc.want, n.Load(tc.at, 0)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

func TestMeanConcurrency(t *testing.T) {
	n := transfer.New(transfer.Station{BytesPerSecond: gigabyte})
	if got := n.Load(0, 0).MeanConcurrency(); got != 0 {
		t.Errorf("of a station that was never used: %v, want 0", got)
	}
	n.Start(0, 300, 0) // shared up to 200, alone up to 400
	n.Start(0, 100, 0)
	if got := n.Load(1000, 0).MeanConcurrency(); got != 1.5 {
		t.Errorf("%v, want 1.5", got)
	}
}

func TestBytesLeft(t *testing.T) {
	n := transfer.New(transfer.Station{BytesPerSecond: gigabyte}, transfer.Station{BytesPerSecond: 3 * gigabyte, Latency: 10})
	id := n.Start(0, 1000, 0, 1)
	for _, tc := range []struct {
		at   simtime.Time
		want int64
		ok   bool
	}{{0, 1000, true}, {10, 1000, true}, {11, 999, true}, {1009, 1, true}, {1010, 0, false}} {
		if got, ok := n.BytesLeft(tc.at, id); got != tc.want || ok != tc.ok {
			t.Errorf("at %v: %d, %v, want %d, %v", tc.at, got, ok, tc.want, tc.ok)
		}
	}
}

func TestEstimate(t *testing.T) {
	n := transfer.New(
		transfer.Station{BytesPerSecond: gigabyte, Latency: 10},
		transfer.Station{BytesPerSecond: 4 * gigabyte, Latency: 5},
	)
	n.Start(0, 400, 1)
	for _, tc := range []struct {
		name  string
		bytes int64
		over  []transfer.StationID
		want  time.Duration
	}{
		{"an idle station", 1000, over(0), 1010},
		{"behind another", 400, over(1), 205},
		{"the station that takes longest", 1000, over(1, 0), 1015},
		{"no bytes", 0, over(0), 10},
	} {
		if got := n.Estimate(0, tc.bytes, tc.over...); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}

// TestBytesAreConserved: what a station moved and what it has left is what was
// sent through it, at any time; and what has all ended has all been moved.
func TestBytesAreConserved(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	n := transfer.New(
		transfer.Station{BytesPerSecond: 7, Latency: 3},
		transfer.Station{BytesPerSecond: 25 * gigabyte, Latency: 50_000},
		transfer.Station{BytesPerSecond: 31_507_692_307},
	)
	var now simtime.Time
	var sent [3]int64
	for range 2000 {
		now += simtime.Time(r.IntN(20_000))
		first := r.IntN(3)
		bytes := r.Int64N(1000 * kilobyte)
		if first == 0 {
			bytes = r.Int64N(3)
		}
		var route []transfer.StationID
		for at := first; at < min(3, first+1+r.IntN(3)); at++ {
			route = append(route, transfer.StationID(at))
			sent[at] += bytes
		}
		n.Start(now, bytes, route...)
		for at, want := range sent {
			load := n.Load(now, transfer.StationID(at))
			if got := load.BytesMoved + load.BytesLeft; got != want {
				t.Fatalf("at %v station %d has moved %d bytes and has %d left of %d", now, at, load.BytesMoved, load.BytesLeft, want)
			}
		}
	}
	for at, want := range sent {
		got := n.Load(now+1e15, transfer.StationID(at))
		if got.BytesMoved != want || got.BytesLeft != 0 || got.InFlight != 0 || got.Moving != 0 {
			t.Errorf("station %d at the end: %+v, want %d bytes moved", at, got, want)
		}
	}
}
