// SPDX-License-Identifier: Apache-2.0

package transfer

import "windtunnel.dev/windtunnel/pkg/simtime"

// divide gives every moving flow its max-min fair rate by progressive filling
// (Bertsekas and Gallager, Data Networks, 2nd edition, section 6.5.2): all rates
// rise together, share by share; where a station cannot give one share more to
// each of its rising flows, those stop, and the others rise on. Less than a
// share for each flow of a station is left over.
func (n *Network) divide() {
	if len(n.inFlight) == 1 {
		n.giveAll(n.inFlight[0])
		return
	}
	n.open, n.crossed = n.open[:0], n.crossed[:0]
	for _, f := range n.inFlight {
		if f.moving {
			n.reopen(f)
		}
	}
	for len(n.open) > 0 {
		n.stop(n.level())
	}
}

// giveAll gives a flow that is alone all that its stations have.
func (n *Network) giveAll(f *flow) {
	if !f.moving {
		return
	}
	rate := ^uint64(0)
	for _, at := range f.route {
		rate = min(rate, n.stations[at].capacity)
	}
	f.setRate(rate, n.now)
}

// reopen lets a flow rise from nothing.
func (n *Network) reopen(f *flow) {
	n.open = append(n.open, f)
	for _, at := range f.route {
		s := &n.stations[at]
		if s.open == 0 {
			s.spare = s.capacity
			n.crossed = append(n.crossed, at)
		}
		s.open++
	}
}

// level returns the rate at which the next station is full.
func (n *Network) level() uint64 {
	lowest := ^uint64(0)
	rising := n.crossed[:0]
	for _, at := range n.crossed {
		s := &n.stations[at]
		if s.open == 0 {
			continue
		}
		s.each = s.spare / uint64(s.open)
		lowest = min(lowest, s.each)
		rising = append(rising, at)
	}
	n.crossed = rising
	return lowest
}

// stop fixes the rates of the flows that cross a station which is full at this
// level.
func (n *Network) stop(level uint64) {
	rising := n.open[:0]
	for _, f := range n.open {
		if n.crossesFull(f, level) {
			n.fix(f, level)
		} else {
			rising = append(rising, f)
		}
	}
	n.open = rising
}

func (n *Network) crossesFull(f *flow, level uint64) bool {
	for _, at := range f.route {
		if n.stations[at].each == level {
			return true
		}
	}
	return false
}

func (n *Network) fix(f *flow, rate uint64) {
	for _, at := range f.route {
		s := &n.stations[at]
		s.spare -= rate
		s.open--
	}
	f.setRate(rate, n.now)
}

// schedule finds the next change that comes by itself.
func (n *Network) schedule() {
	n.next = simtime.Never
	for _, f := range n.inFlight {
		n.next = min(n.next, f.due)
	}
}
