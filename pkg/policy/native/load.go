// SPDX-License-Identifier: Apache-2.0

package native

// load is how many requests an endpoint has: those that its last scrape shows, in
// the queue and in the batch, and those in flight.
type load struct {
	// all counts requests in flight in addition to those that the scrape shows, though it
	// shows most of them, as inference-sim does. Otherwise only those count that
	// it does not show: they are on their way.
	all bool
}

// readLoad reads the parameter load: pending, the default, or in-flight.
func readLoad(r *reader) load {
	return load{all: r.Choice("load", "max(s, f) or s + f, of s requests in the last scrape and f in flight from this router", "pending", "in-flight") == "in-flight"}
}

func (l load) of(r *round, endpoint int) int {
	s := &r.view.Scrapes[endpoint]
	shown, inFlight := s.Waiting+s.Running, r.inFlight[endpoint]
	if l.all {
		return shown + inFlight
	}
	return max(shown, inFlight)
}
