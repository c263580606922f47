// SPDX-License-Identifier: Apache-2.0

package transfer

import "windtunnel.dev/windtunnel/pkg/simtime"

// ends has a time for each station: when the first of its members ends. It is a tournament: of the
// nodes from 1 on, node i is the earlier of the nodes 2i and 2i+1, and the second half are stations.
type ends []simtime.Time

// withRoom returns the ends with room for a number of stations.
func (e ends) withRoom(stations int) ends {
	leaves := len(e) / 2
	if stations <= leaves {
		return e
	}
	wider := make(ends, 4*stations)
	for i := range wider {
		wider[i] = simtime.Never
	}
	for at, due := range e[leaves:] {
		wider.set(StationID(at), due)
	}
	return wider
}

func (e ends) set(at StationID, due simtime.Time) {
	i := len(e)/2 + int(at)
	e[i] = due
	for ; i > 1; i /= 2 {
		earlier := min(e[i], e[i^1])
		if e[i/2] == earlier {
			return
		}
		e[i/2] = earlier
	}
}

// first returns the earliest time, and the station whose it is.
func (e ends) first() (at StationID, due simtime.Time) {
	if len(e) == 0 {
		return 0, simtime.Never
	}
	i := 1
	for i < len(e)/2 {
		i *= 2
		if e[i] != e[1] {
			i++
		}
	}
	return StationID(i - len(e)/2), e[1]
}
