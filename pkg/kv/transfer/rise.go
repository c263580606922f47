// SPDX-License-Identifier: Apache-2.0

package transfer

// riseAnew lets the rates of all flows rise from nothing that share a station, even by way of
// others, with one whose rate may change.
func (n *Network) riseAnew() {
	n.gather()
	for n.rise > 0 {
		n.stop(n.lowest())
	}
	for _, f := range n.rising {
		if f.stop != f.next {
			n.move(f, f.next)
		}
	}
	for _, at := range n.touched {
		n.setRate(at, n.stations[at].level)
	}
}

// gather collects the flows and their stations, which become touched.
func (n *Network) gather() {
	n.rising, n.crossed = n.rising[:0], n.crossed[:0]
	for i := 0; i < len(n.touched); i++ {
		at := n.touched[i]
		s := &n.stations[at]
		s.unassignedBandwidth, s.unassignedFlows, s.level = s.capacity, s.moving(), 0
		n.crossed = append(n.crossed, at)
		for _, flows := range [...][]*flow{s.members, s.others} {
			for _, f := range flows {
				if f.rises {
					continue
				}
				f.rises = true
				n.rising = append(n.rising, f)
				for _, at := range f.route {
					n.touch(at)
				}
			}
		}
	}
	n.rise = len(n.rising)
}

// lowest returns the rate at which the next station is full.
func (n *Network) lowest() uint64 {
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

// stop ends the rise of the flows that cross a station which is full at this level.
func (n *Network) stop(level uint64) {
	for _, at := range n.crossed {
		s := &n.stations[at]
		if s.shareEach != level {
			continue
		}
		for _, flows := range [...][]*flow{s.members, s.others} {
			for _, f := range flows {
				if f.rises {
					n.stopFlow(f, at, level)
				}
			}
		}
	}
}

func (n *Network) stopFlow(f *flow, at StationID, level uint64) {
	f.rises, f.next = false, at
	n.stations[at].level = level
	n.rise--
	for _, at := range f.route {
		s := &n.stations[at]
		s.unassignedBandwidth -= level
		s.unassignedFlows--
	}
}
