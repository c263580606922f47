// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// fabric is a network with what its transfers are for. Replicas that share
// something share it; others have one of their own.
type fabric struct {
	transfer.Network
	// handlers are those of the transfers from a first one on, in order of ID; nil
	// where one has ended.
	handlers []transferHandler
	first    transfer.ID
}

// transferHandler is what is to be done when a transfer ends.
type transferHandler interface {
	land(c *Cluster, at simtime.Time)
	// cancel undoes what was done for a transfer that is taken back.
	cancel(c *Cluster)
	// of is the replica with which the transfer fails, or simulator.NoReplica.
	of() int32
	// count adds to the transfers of those replicas that it is from or to.
	count(c *Cluster, n int)
	// begin notes when the transfer began and its bytes, which begun returns; describe says the rest of it.
	begin(at simtime.Time, bytes int64)
	begun() sending
	describe(c *Cluster) simulator.Transfer
}

func newFabric() *fabric {
	return &fabric{Network: *transfer.New(), first: 1}
}

// assign notes what the transfer is for that has just been started.
func (f *fabric) assign(d transferHandler) { f.handlers = append(f.handlers, d) }

// dismiss takes a transfer's duty away; nil if it has none any more.
func (f *fabric) dismiss(id transfer.ID) transferHandler {
	at := int(id - f.first)
	if at < 0 {
		return nil
	}
	d := f.handlers[at]
	f.handlers[at] = nil
	f.forget()
	return d
}

// forget drops the records of the first transfers if they have ended.
func (f *fabric) forget() {
	ended := 0
	for ended < len(f.handlers) && f.handlers[ended] == nil {
		ended++
	}
	if ended == len(f.handlers) || 2*ended > len(f.handlers) {
		f.handlers = append(f.handlers[:0], f.handlers[ended:]...)
		f.first += transfer.ID(ended)
	}
}

// beginTransfer starts a transfer that waits for a time, beside its stations'
// latencies, before it moves. When it ends, its duty lands.
func (c *Cluster) beginTransfer(f *fabric, wait time.Duration, d transferHandler, bytes int64, stations ...transfer.StationID) transfer.ID {
	id := f.StartAfter(c.Now, wait, bytes, stations...)
	f.assign(d)
	d.begin(c.Now, bytes)
	d.count(c, +1)
	return id
}

// abort takes a transfer back that is under way.
func (c *Cluster) abort(f *fabric, id transfer.ID) {
	// One that ends at this very nanosecond has not been told of yet.
	f.Cancel(c.Now, id)
	d := f.dismiss(id)
	d.count(c, -1)
	c.tellTransfer(d, true)
}

// due is when the network wants to be looked at.
func (f *fabric) due() simtime.Time {
	if at, ok := f.Next(); ok {
		return at
	}
	return simtime.Never
}

// land does what is to be done when transfers end, now.
func (c *Cluster) land(f *fabric, now simtime.Time) {
	c.Now = now
	for _, done := range f.Advance(now) {
		if d := f.dismiss(done.ID); d != nil {
			d.count(c, -1)
			c.tellTransfer(d, false)
			d.land(c, now)
		}
	}
}

// sending is when a transfer began and how many bytes it has.
type sending struct {
	at    simtime.Time
	bytes int64
}

func (t *sending) begin(at simtime.Time, bytes int64) { *t = sending{at, bytes} }

func (t *sending) begun() sending { return *t }

// tellTransfer tells of a transfer that ends now.
func (c *Cluster) tellTransfer(d transferHandler, cancelled bool) {
	if c.Listeners.Transferred == nil {
		return
	}
	t := d.describe(c)
	begun := d.begun()
	t.Begun, t.Bytes, t.Ended, t.Cancelled = begun.at, begun.bytes, c.Now, cancelled
	c.Listeners.Transferred(t)
}
