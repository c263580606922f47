// SPDX-License-Identifier: Apache-2.0

package transfer

// The rates of moving flows are max-min fair, as progressive filling gives them (Bertsekas and
// Gallager, Data Networks, 2nd edition, section 6.5.2): all rates rise together, share by share;
// where a station cannot give one share more to each of its rising flows, those stop, and the
// others rise on. Less than a share for each flow of a station is left over.
//
// Each flow is a member of a station that stops it. A change leaves most members where they
// are: divide keeps them, sets the rates of the stations anew that the change reaches, and
// moves those flows only that are too fast for a station. What it finds are the rates of
// progressive filling if for each station
//
//   - what it gives is at most its capacity, and one share more for each member would be too much;
//   - no other flow is faster than its members; and one that is slower is so by as many shares as
//     flows move through the station, so that no remainder stops the members before.
//
// Only the stations whose flows change have to be looked at. Where rates are so close that this
// does not decide, the rates of all flows that the change could reach rise from nothing (rise.go).

// divide gives every moving flow its max-min fair rate, after changes at the touched stations.
func (n *Network) divide() {
	if !n.settle() {
		n.riseAnew()
	}
	n.clean()
}

// clean forgets what has changed.
func (n *Network) clean() {
	for _, at := range n.touched {
		s := &n.stations[at]
		s.isTouched, s.isOpen = false, false
		n.ends.set(at, s.firstEnd())
	}
	n.touched, n.open, n.openEmpty = n.touched[:0], n.open[:0], n.openEmpty[:0]
}

// changed notes that flows of a station have come, gone or changed their rates that others stop.
// Where there is room for them that decides nothing.
func (n *Network) changed(at StationID) {
	if !n.stations[at].hasRoom() {
		n.touch(at)
	}
}

// touch has the rate of a station set anew.
func (n *Network) touch(at StationID) {
	s := &n.stations[at]
	if !s.isTouched {
		s.isTouched = true
		n.touched = append(n.touched, at)
	}
	if s.isOpen {
		return
	}
	s.isOpen = true
	if len(s.members) > 0 {
		n.open = append(n.open, at)
	} else {
		n.openEmpty = append(n.openEmpty, at)
	}
}

// join makes a moving flow with a number of parts left a member of a station.
func (n *Network) join(f *flow, at StationID, left wide) {
	s := &n.stations[at]
	s.catchUp(n.now)
	f.stop, f.target = at, s.moved.plus(left)
	s.members.add(f)
	n.touch(at)
	for _, other := range f.route {
		if other != at {
			s.cross(other, +1)
			o := &n.stations[other]
			o.others = append(o.others, f)
			o.elsewhere = o.elsewhere.plus(wide{low: s.rate})
			n.changed(other)
		}
	}
}

// part takes a moving flow off its stations.
func (n *Network) part(f *flow) {
	s := &n.stations[f.stop]
	s.members.remove(f)
	n.touch(f.stop)
	for _, other := range f.route {
		if other != f.stop {
			s.cross(other, -1)
			o := &n.stations[other]
			o.removeOther(f)
			o.elsewhere = o.elsewhere.minus(wide{low: s.rate})
			n.changed(other)
		}
	}
}

// move makes a flow a member of another station.
func (n *Network) move(f *flow, to StationID) {
	left := n.remaining(f)
	n.part(f)
	n.join(f, to, left)
}

// narrowest returns the station of a route that has least for one flow more.
func (n *Network) narrowest(f *flow) StationID {
	narrowest, least := f.route[0], ^uint64(0)
	for _, at := range f.route {
		if share := n.stations[at].share(1); share < least {
			narrowest, least = at, share
		}
	}
	return narrowest
}

// settle sets the rates of the stations that changes reach, and returns false where it cannot. A turn
// may open stations again, so it gives up after a few turns for each touched station: few changes
// take more, and rates that rise anew come to an end without fail.
func (n *Network) settle() bool {
	for turns := 0; turns < 16+4*len(n.touched); turns++ {
		at, found := n.takeOpen()
		if !found {
			return true
		}
		if !n.level(at) {
			return false
		}
	}
	return false
}

// takeOpen returns the open station that gives least to its members: it decides for others. Those
// without members come last.
func (n *Network) takeOpen() (StationID, bool) {
	if len(n.open) > 0 {
		lowest, least := 0, ^uint64(0)
		for i, at := range n.open {
			if share := n.stations[at].share(0); share < least {
				lowest, least = i, share
			}
		}
		at := n.open[lowest]
		n.open[lowest] = n.open[len(n.open)-1]
		n.open = n.open[:len(n.open)-1]
		n.stations[at].isOpen = false
		return at, true
	}
	if last := len(n.openEmpty) - 1; last >= 0 {
		at := n.openEmpty[last]
		n.openEmpty = n.openEmpty[:last]
		n.stations[at].isOpen = false
		return at, true
	}
	return 0, false
}

// level gives the members of a station what the others leave them, after those have become
// members that are faster. It returns false where rates are too close to say who is.
func (n *Network) level(at StationID) bool {
	s := &n.stations[at]
	if s.hasRoom() {
		n.setRate(at, 0)
		return true
	}
	for {
		f, rate := n.fastest(s)
		if rate <= s.share(0) || len(s.members) == 0 && !s.isOverfull() {
			break
		}
		n.move(f, at)
	}
	n.setRate(at, s.share(0))
	return n.decided(s)
}

// fastest returns one of the fastest others of a station.
func (n *Network) fastest(s *station) (fastest *flow, rate uint64) {
	for _, f := range s.others {
		if r := n.stations[f.stop].rate; fastest == nil || r > rate {
			fastest, rate = f, r
		}
	}
	return fastest, rate
}

// setRate sets the rate of a station's members.
func (n *Network) setRate(at StationID, rate uint64) {
	s := &n.stations[at]
	if s.rate == rate {
		return
	}
	s.catchUp(n.now)
	up, change := rate > s.rate, max(rate, s.rate)-min(rate, s.rate)
	s.rate = rate
	for _, c := range s.crossings {
		o := &n.stations[c.at]
		if up {
			o.elsewhere = o.elsewhere.plus(product(change, c.flows))
		} else {
			o.elsewhere = o.elsewhere.minus(product(change, c.flows))
		}
		n.changed(c.at)
	}
}

// decided says that no remainder of a division stops a flow of the station before its time.
func (n *Network) decided(s *station) bool {
	highest := s.rate
	if len(s.members) == 0 {
		_, highest = n.fastest(s)
	}
	for _, f := range s.others {
		if r := n.stations[f.stop].rate; r != highest && r+uint64(s.moving()) >= highest {
			return false
		}
	}
	return true
}
