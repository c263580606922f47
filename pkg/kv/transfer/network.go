// SPDX-License-Identifier: Apache-2.0

package transfer

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Network is a set of stations and the transfers that cross them. It is not
// safe for concurrent use.
//
// A discrete-event engine drives it: it starts and cancels transfers at its own
// time, asks Next when to come back, and then calls Advance. Calls come in order
// of time; one that goes back panics. How often and when Advance is called
// decides when ends are reported, never what they are.
//
// A transfer first waits for the latencies of its stations, one after the other,
// and then moves through all of them at one rate. It ends at the first
// nanosecond at which its last byte is there, and keeps its share up to then.
//
// The bandwidth is divided anew at each change. That takes time in proportion to the full stations
// whose flows change, to those flows of these stations that others stop, and to the stations that
// their flows cross. Where rates are too close to decide so, the rates of all flows that the change
// could reach rise from nothing.
type Network struct {
	now      simtime.Time
	next     simtime.Time // when a flow begins to move or ends, if nothing happens before
	stations []station
	ends     ends
	inFlight []*flow // by ID
	waiting  []*flow // of them, those that do not move yet, by the time when they will
	started  ID

	done     []Done // not yet reported
	reported []Done // what the last Advance returned

	idle []*flow // records to use again

	// While bandwidth is divided: the stations at which something has changed, and of them, those
	// whose rate is yet to be set, with members and without.
	touched, open, openEmpty []StationID
	// While rates rise: the flows, how many of them still do, and the stations that they cross.
	rising  []*flow
	rise    int
	crossed []StationID
}

// Done is the end of a transfer.
type Done struct {
	ID ID
	At simtime.Time
}

// New returns a network with the stations 0, 1, 2 and so on.
func New(stations ...Station) *Network {
	n := &Network{next: simtime.Never}
	for _, s := range stations {
		n.Add(s)
	}
	return n
}

// Add returns a new station of the network.
func (n *Network) Add(s Station) StationID {
	n.stations = append(n.stations, newStation(s))
	n.ends = n.ends.withRoom(len(n.stations))
	return StationID(len(n.stations) - 1)
}

// Start sends bytes, 0 or more, through one or more stations, all different.
// Their order does not matter.
func (n *Network) Start(now simtime.Time, bytes int64, stations ...StationID) ID {
	return n.StartAfter(now, 0, bytes, stations...)
}

// StartAfter is Start of a transfer that waits, in addition to the latencies of its
// stations, for a time of its own before it moves: for those of other transfers
// that it stands for, say. The wait is 0 or more.
func (n *Network) StartAfter(now simtime.Time, wait time.Duration, bytes int64, stations ...StationID) ID {
	if wait < 0 {
		panic(fmt.Sprintf("transfer: a wait of %v", wait))
	}
	n.run(now)
	n.check(bytes, stations)
	n.started++
	f := n.take()
	f.id = n.started
	f.route = append(f.route[:0], stations...)
	f.size = product(uint64(bytes), partsPerByte)
	f.moving = false
	f.due = after(now, uint64(wait))
	for _, at := range stations {
		s := &n.stations[at]
		s.inFlight++
		s.waiting = s.waiting.plus(f.size)
		f.due = after(f.due, uint64(s.Latency))
	}
	n.inFlight = append(n.inFlight, f)
	n.wait(f)
	n.next = min(n.next, f.due)
	n.run(now)
	return f.id
}

// Cancel takes a transfer out of the network and frees its share. What it has
// moved stays moved. Cancel returns false for a transfer that has ended by now,
// even where Advance is yet to report it, or that was cancelled before.
func (n *Network) Cancel(now simtime.Time, id ID) bool {
	n.run(now)
	i, found := n.find(id)
	if !found {
		return false
	}
	f := n.inFlight[i]
	n.leave(f, n.remaining(f))
	n.divide()
	n.schedule()
	return true
}

// Next returns when to call Advance: no transfer ends before, unless one starts
// or is cancelled. Something does change then: a transfer ends, or its latency
// is over and it begins to share the bandwidth of others, which may put off the
// end of theirs. It returns false where nothing is in flight.
func (n *Network) Next() (simtime.Time, bool) {
	if len(n.done) > 0 {
		return n.done[0].At, true
	}
	return n.next, n.next != simtime.Never
}

// Advance returns the transfers that have ended up to now and were not reported
// before, in order of time and then of ID. The slice is good until the next
// Advance.
func (n *Network) Advance(now simtime.Time) []Done {
	n.run(now)
	n.done, n.reported = n.reported[:0], n.done
	return n.reported
}

// run lets everything happen that does up to now.
func (n *Network) run(now simtime.Time) {
	if now < n.now {
		panic(fmt.Sprintf("transfer: time goes back from %v to %v", n.now, now))
	}
	for n.next <= now && n.next != simtime.Never {
		n.now = n.next
		before := len(n.done)
		n.begin()
		n.end()
		slices.SortFunc(n.done[before:], func(a, b Done) int { return cmp.Compare(a.ID, b.ID) })
		n.divide()
		n.schedule()
	}
	n.now = now
}

// wait lines a flow up to move when its latency is over.
func (n *Network) wait(f *flow) {
	at := len(n.waiting)
	for at > 0 && n.waiting[at-1].due > f.due {
		at--
	}
	n.waiting = slices.Insert(n.waiting, at, f)
}

// begin sets flows in motion whose latency is over, and ends those that have no bytes to move.
func (n *Network) begin() {
	for len(n.waiting) > 0 && n.waiting[0].due <= n.now {
		f := n.waiting[0]
		if f.size == (wide{}) {
			n.finish(f)
			continue
		}
		n.stopWaiting(f)
		f.moving = true
		for _, at := range f.route {
			s := &n.stations[at]
			s.count(n.now)
			if s.moving() == sharesPerByte {
				panic(fmt.Sprintf("transfer: more than %d transfers share station %d", sharesPerByte, at))
			}
		}
		n.join(f, n.narrowest(f), f.size)
	}
}

// end takes out the flows that have arrived.
func (n *Network) end() {
	for {
		at, due := n.ends.first()
		if due > n.now {
			return
		}
		s := &n.stations[at]
		s.catchUp(n.now)
		for len(s.members) > 0 && !s.moved.less(s.members[0].target) {
			n.finish(s.members[0])
		}
		n.ends.set(at, simtime.Never)
	}
}

// finish takes a flow out that has moved all its bytes.
func (n *Network) finish(f *flow) {
	n.done = append(n.done, Done{ID: f.id, At: n.now})
	n.leave(f, wide{})
}

// leave takes a flow with a number of parts left off the network.
func (n *Network) leave(f *flow, left wide) {
	for _, at := range f.route {
		s := &n.stations[at]
		s.inFlight--
		s.movedByEnded = s.movedByEnded.plus(f.size.minus(left))
		s.count(n.now)
	}
	if f.moving {
		n.part(f)
	} else {
		n.stopWaiting(f)
	}
	i, _ := n.find(f.id)
	n.inFlight = slices.Delete(n.inFlight, i, i+1)
	n.idle = append(n.idle, f)
}

// stopWaiting takes a flow off those that wait for their latencies.
func (n *Network) stopWaiting(f *flow) {
	i := slices.Index(n.waiting, f)
	n.waiting = slices.Delete(n.waiting, i, i+1)
	for _, at := range f.route {
		s := &n.stations[at]
		s.waiting = s.waiting.minus(f.size)
	}
}

// remaining is how many parts of a flow are left now.
func (n *Network) remaining(f *flow) wide {
	if !f.moving {
		return f.size
	}
	return f.target.minus(n.stations[f.stop].movedAt(n.now))
}

// schedule finds the next change that comes by itself.
func (n *Network) schedule() {
	_, n.next = n.ends.first()
	if len(n.waiting) > 0 {
		n.next = min(n.next, n.waiting[0].due)
	}
}

func (n *Network) take() *flow {
	if last := len(n.idle) - 1; last >= 0 {
		f := n.idle[last]
		n.idle = n.idle[:last]
		return f
	}
	return &flow{}
}

func (n *Network) find(id ID) (int, bool) {
	return slices.BinarySearchFunc(n.inFlight, id, func(f *flow, id ID) int { return cmp.Compare(f.id, id) })
}

// check does not print the route, lest every caller allocate one.
func (n *Network) check(bytes int64, route []StationID) {
	if bytes < 0 || len(route) == 0 {
		panic(fmt.Sprintf("transfer: %d bytes through %d stations", bytes, len(route)))
	}
	for i, at := range route {
		if at < 0 || int(at) >= len(n.stations) || slices.Contains(route[:i], at) {
			panic(fmt.Sprintf("transfer: station %d is crossed twice, or not one of %d", at, len(n.stations)))
		}
	}
}
