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
		n.giveFullBandwidth(n.inFlight[0])
		return
	}
	n.open, n.crossed = n.open[:0], n.crossed[:0]
	for _, f := range n.inFlight {
		if f.moving {
			n.startShare(f)
		}
	}
	for len(n.open) > 0 {
		n.stop(n.level())
	}
}

// giveFullBandwidth gives a flow that is alone all that its stations have.
func (n *Network) giveFullBandwidth(f *flow) {
	if !f.moving {
		return
	}
	rate := ^uint64(0)
	for _, at := range f.route {
		rate = min(rate, n.stations[at].capacity)
	}
	f.setRate(rate, n.now)
}

// startShare lets a flow rise from nothing.
func (n *Network) startShare(f *flow) {
	n.open = append(n.open, f)
	for _, at := range f.route {
		s := &n.stations[at]
		if s.unassignedFlows == 0 {
			s.unassignedBandwidth = s.capacity
			n.crossed = append(n.crossed, at)
		}
		s.unassignedFlows++
	}
}

// level returns the rate at which the next station is full.
func (n *Network) level() uint64 {
	lowest := ^uint64(0)
	rising := n.crossed[:0]
	for _, at := range n.crossed {
		s := &n.stations[at]
		if s.unassignedFlows == 0 {
			continue
		}
		s.shareEach = s.unassignedBandwidth / uint64(s.unassignedFlows)
		lowest = min(lowest, s.shareEach)
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
		if n.stations[at].shareEach == level {
			return true
		}
	}
	return false
}

func (n *Network) fix(f *flow, rate uint64) {
	for _, at := range f.route {
		s := &n.stations[at]
		s.unassignedBandwidth -= rate
		s.unassignedFlows--
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
