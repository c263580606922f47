// SPDX-License-Identifier: Apache-2.0

package network

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// parcel is a transfer that writes down what becomes of it.
type parcel struct {
	name string
	of   int32
	log  *[]string
}

func (p *parcel) Land(now simtime.Time)   { p.note("lands", now) }
func (p *parcel) Cancel(now simtime.Time) { p.note("fails", now) }
func (p *parcel) Replica() int32          { return p.of }
func (p *parcel) Count(n int)             { p.note("counts", n) }
func (p *parcel) Describe() simulator.Transfer {
	return simulator.Transfer{Reason: p.name}
}

func (p *parcel) note(what string, value any) {
	*p.log = append(*p.log, fmt.Sprint(p.name, " ", what, " ", value))
}

// TestFabric: at a byte a nanosecond, a has 100 bytes and b 50 on the way. They share the
// link until b ends at 100 ns; a has moved 50 bytes by then and ends at 150 ns. c and d begin
// at 100 ns, and fail at 110 ns with their replicas.
func TestFabric(t *testing.T) {
	var log []string
	f := NewFabric(func(t simulator.Transfer) {
		log = append(log, fmt.Sprintf("%s told: %d bytes from %d to %d, cancelled %t", t.Reason, t.Bytes, t.Begun, t.Ended, t.Cancelled))
	})
	link, other := f.Add(transfer.Station{BytesPerSecond: 1e9}), f.Add(transfer.Station{BytesPerSecond: 1e9})
	send := func(now simtime.Time, name string, of int32, bytes int64, at transfer.StationID) transfer.ID {
		return f.Begin(now, 0, &parcel{name, of, &log}, bytes, at)
	}
	send(0, "a", 0, 100, link)
	send(0, "b", 0, 50, link)
	if due := f.Due(); due != 100 {
		t.Fatalf("the first transfer is due at %v, want 100ns", due)
	}
	f.Land(100)
	send(100, "c", 1, 10, other)
	d := send(100, "d", 2, 10, other)
	f.Fail(110, func(t Transfer) bool { return t.Replica() == 1 })
	f.Abort(110, d)
	f.Land(f.Due())
	want := []string{
		"a counts 1", "b counts 1",
		"b counts -1", "b told: 50 bytes from 0 to 100, cancelled false", "b lands 100ns",
		"c counts 1", "d counts 1",
		"c fails 110ns", "c counts -1", "c told: 10 bytes from 100 to 110, cancelled true",
		"d counts -1", "d told: 10 bytes from 100 to 110, cancelled true",
		"a counts -1", "a told: 100 bytes from 0 to 150, cancelled false", "a lands 150ns",
	}
	if diff := cmp.Diff(want, log); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
	if due := f.Due(); due != simtime.Never {
		t.Errorf("a transfer is due at %v, and none is under way", due)
	}
}
