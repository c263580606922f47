// SPDX-License-Identifier: Apache-2.0

package network

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// Fabric is a network with what its transfers are for. Replicas that share
// something share it; others have one of their own.
type Fabric struct {
	transfer.Network
	// underWay are the transfers from number first on, in order of ID; one that has ended
	// has no Transfer. ended counts those at the front that have ended.
	underWay []sending
	first    transfer.ID
	ended    int
	told     func(simulator.Transfer) // may be nil
}

// sending is a transfer with when it began, and how many bytes it has.
type sending struct {
	Transfer
	begun simtime.Time
	bytes int64
}

// Transfer is what blocks move for.
type Transfer interface {
	// Land does what is to be done when the transfer ends.
	Land(now simtime.Time)
	// Cancel undoes what was done for a transfer that fails with its replica.
	Cancel(now simtime.Time)
	// Replica is the replica with which the transfer fails, or simulator.NoReplica.
	Replica() int32
	// Count adds to the transfers of those replicas that it is from or to.
	Count(n int)
	// Describe says what moves from where to where; times and bytes are the fabric's.
	Describe() simulator.Transfer
}

// NewFabric returns a fabric without links, which tells of transfers that end.
func NewFabric(told func(simulator.Transfer)) *Fabric {
	return &Fabric{Network: *transfer.New(), first: 1, told: told}
}

// Begin starts a transfer that waits for a time, in addition to its stations' latencies,
// before it moves.
func (f *Fabric) Begin(now simtime.Time, wait time.Duration, t Transfer, bytes int64, stations ...transfer.StationID) transfer.ID {
	id := f.StartAfter(now, wait, bytes, stations...)
	f.underWay = append(f.underWay, sending{t, now, bytes})
	t.Count(+1)
	return id
}

// Abort takes a transfer back that is under way.
func (f *Fabric) Abort(now simtime.Time, id transfer.ID) {
	// One that ends at this very nanosecond has not been told of yet.
	f.Network.Cancel(now, id)
	s := f.dismiss(id)
	s.Count(-1)
	f.tell(s, now, true)
}

// Fail cancels the transfers under way that match, in order of ID.
func (f *Fabric) Fail(now simtime.Time, match func(Transfer) bool) {
	var ids []transfer.ID
	for i, s := range f.underWay {
		if s.Transfer != nil && match(s.Transfer) {
			s.Cancel(now)
			ids = append(ids, f.first+transfer.ID(i))
		}
	}
	for _, id := range ids {
		f.Abort(now, id)
	}
}

// Due is when the network wants to be looked at.
func (f *Fabric) Due() simtime.Time {
	if at, ok := f.Next(); ok {
		return at
	}
	return simtime.Never
}

// Land does what is to be done when transfers end, now.
func (f *Fabric) Land(now simtime.Time) {
	for _, done := range f.Advance(now) {
		if s := f.dismiss(done.ID); s.Transfer != nil {
			s.Count(-1)
			f.tell(s, now, false)
			s.Land(now)
		}
	}
}

// dismiss takes a transfer off those under way; it has no Transfer if it was none of them.
func (f *Fabric) dismiss(id transfer.ID) sending {
	at := int(id - f.first)
	if at < 0 {
		return sending{}
	}
	s := f.underWay[at]
	f.underWay[at] = sending{}
	f.forget()
	return s
}

// forget drops the records of the first transfers if they have ended.
func (f *Fabric) forget() {
	for f.ended < len(f.underWay) && f.underWay[f.ended].Transfer == nil {
		f.ended++
	}
	if f.ended == len(f.underWay) || 2*f.ended > len(f.underWay) {
		f.underWay = append(f.underWay[:0], f.underWay[f.ended:]...)
		f.first += transfer.ID(f.ended)
		f.ended = 0
	}
}

// tell tells of a transfer that ends now.
func (f *Fabric) tell(s sending, now simtime.Time, cancelled bool) {
	if f.told == nil {
		return
	}
	t := s.Describe()
	t.Begun, t.Bytes, t.Ended, t.Cancelled = s.begun, s.bytes, now, cancelled
	f.told(t)
}
