// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload/internal/due"
)

// reactions are when a client, or any of its copies, sends requests in answer to ends, and when
// the users of closed loops send their first ones. A place is one of a reactor, and Of is the
// number of the copy.
type reactions struct {
	stream     int32       // in the source
	due        due.Heap    // places that send a request next
	beginnings *beginnings // nil where there are no users
	// staysInStep says that its users have to be taken apart.
	staysInStep bool
}

// next returns when the next request comes; due.MaxTime where none is known.
func (r *reactions) next() simtime.Time {
	at := due.MaxTime
	if len(r.due) > 0 {
		at = r.due[0].At
	}
	if r.beginnings != nil {
		at = min(at, r.beginnings.next.At)
	}
	return at
}

// take returns the place that sends the next request. There is one.
func (r *reactions) take() due.Place {
	if b := r.beginnings; b != nil && b.next.At < due.MaxTime && (len(r.due) == 0 || b.next.Before(r.due[0])) {
		return b.take()
	}
	return r.due.Pop()
}
