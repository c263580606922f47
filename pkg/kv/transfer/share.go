// SPDX-License-Identifier: Apache-2.0

package transfer

import "windtunnel.dev/windtunnel/pkg/simtime"

// divide gives every moving flow its max-min fair rate by progressive filling
// (Bertsekas and Gallager, Data Networks, 2nd edition, section 6.5.2): all rates
// rise together, share by share; where a station cannot give one share more to
// each of its rising flows, those stop, and the others rise on. Less than a
// share for each flow of a station is left over.
//
// A change does not touch the rates below the level at which the first of its stations is full,
// before or after: up to there the rates rise as they did. Nor does it touch flows that share no
// station, even by way of others, with a flow whose rate may change.
func (n *Network) divide() {
	if len(n.inFlight) == 1 {
		n.touched, n.keepBelow = n.touched[:0], neverFull
		n.giveFullBandwidth(n.inFlight[0])
		return
	}
	n.gather()
	for n.rising > 0 {
		n.stop(n.level())
	}
}

// touch notes that a flow has begun or ceased to move.
func (n *Network) touch(f *flow) {
	n.touched = append(n.touched, f.route...)
	for _, at := range f.route {
		s := &n.stations[at]
		n.keepBelow = min(n.keepBelow, s.fullAt)
		if f.moving {
			// With one flow more, it is not full below an equal share: flows that others stop leave
			// more to the rest.
			n.keepBelow = min(n.keepBelow, s.capacity/uint64(len(s.moving)))
		}
	}
}

// gather collects the flows whose rates may change.
func (n *Network) gather() {
	n.crossed = n.crossed[:0]
	for _, at := range n.touched {
		n.cross(at)
	}
	for i := 0; i < len(n.crossed); i++ {
		s := &n.stations[n.crossed[i]]
		for _, f := range s.moving {
			switch {
			case f.rises:
			case f.rate > 0 && f.rate < n.keepBelow:
				s.unassignedBandwidth -= f.rate
				s.unassignedFlows--
			default:
				f.rises = true
				n.rising++
				for _, at := range f.route {
					n.cross(at)
				}
			}
		}
	}
	for _, at := range n.crossed {
		n.stations[at].isCrossed = false
	}
	n.touched, n.keepBelow = n.touched[:0], neverFull
}

// cross makes all bandwidth of a station free, once in a division.
func (n *Network) cross(at StationID) {
	if s := &n.stations[at]; !s.isCrossed {
		s.isCrossed, s.fullAt = true, neverFull
		s.unassignedBandwidth, s.unassignedFlows = s.capacity, len(s.moving)
		n.crossed = append(n.crossed, at)
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
	for _, at := range f.route {
		n.stations[at].fullAt = rate
	}
	f.setRate(rate, n.now)
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
	for _, at := range n.crossed {
		s := &n.stations[at]
		if s.shareEach != level {
			continue
		}
		s.fullAt = level
		for _, f := range s.moving {
			if f.rises {
				n.fix(f, level)
			}
		}
	}
}

func (n *Network) fix(f *flow, rate uint64) {
	f.rises = false
	n.rising--
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
