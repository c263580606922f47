// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// fabric is a network with what its transfers are for. Replicas that share
// something share it; others have one of their own.
type fabric struct {
	transfer.Network
	duties map[transfer.ID]duty
}

// duty is what is to be done when a transfer ends.
type duty interface {
	land(s *simulation, at simtime.Time)
	// cancel undoes what was done for a transfer that is taken back because the
	// replica has failed that it is of.
	cancel(s *simulation)
	of() int32
}

func newFabric() *fabric {
	return &fabric{Network: *transfer.New(), duties: map[transfer.ID]duty{}}
}

// begin starts a transfer that somebody waits for.
func (f *fabric) begin(now simtime.Time, d duty, bytes int64, stations ...transfer.StationID) transfer.ID {
	id := f.Start(now, bytes, stations...)
	f.duties[id] = d
	return id
}

// abort takes a transfer back that is under way.
func (f *fabric) abort(now simtime.Time, id transfer.ID) {
	// One that ends at this very nanosecond has not been told of yet.
	f.Cancel(now, id)
	delete(f.duties, id)
}

// due is when the network wants to be looked at.
func (f *fabric) due() simtime.Time {
	if at, ok := f.Next(); ok {
		return at
	}
	return simtime.Never
}

// land does what is to be done when transfers end, now.
func (s *simulation) land(f *fabric, now simtime.Time) {
	s.now = now
	for _, done := range f.Advance(now) {
		d, ok := f.duties[done.ID]
		if !ok {
			continue
		}
		delete(f.duties, done.ID)
		d.land(s, now)
	}
}

// beginAfter is begin of a transfer that waits before its stations' latencies.
func (f *fabric) beginAfter(now simtime.Time, wait time.Duration, d duty, bytes int64, stations ...transfer.StationID) transfer.ID {
	id := f.StartAfter(now, wait, bytes, stations...)
	f.duties[id] = d
	return id
}
