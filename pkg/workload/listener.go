// SPDX-License-Identifier: Apache-2.0

package workload

import "windtunnel.dev/windtunnel/pkg/simtime"

// Listener is a source that hears how its requests end, and answers with others: a
// closed loop, a session that waits for an answer, a client that tries again.
//
// A request that answers an end at a time arrives at a later time. While some
// request is in flight, the caller asks Due again after each end.
type Listener interface {
	Source
	// Due returns when the request arrives that Next would return; false where no
	// request is known.
	Due() (simtime.Time, bool)
	// Ended tells of a request that Next has returned. Ends come in order of time.
	// Those of one nanosecond come in the same order in each run, which is that of
	// the requests' IDs among those that completed.
	Ended(End)
}

// End is how a request ended at the gateway.
type End struct {
	// ID is the request's.
	ID int
	At simtime.Time
	// Ending says how.
	Ending Ending
}

// Ending is a way for a request to end.
type Ending uint8

const (
	// Completed says that the whole answer reached the gateway.
	Completed Ending = iota
	// Rejected says that the gateway or an engine refused the request, or that the
	// gateway ended it.
	Rejected
	// TimedOut says that the client gave the request up.
	TimedOut
	// Failed says that the replica of the request failed, and no other was found.
	Failed
)

// String returns the ending in a word.
func (e Ending) String() string {
	return [...]string{"completed", "rejected", "timed out", "failed"}[e]
}

// AnsweredAtOnce returns a source of the requests that a listener sends if each of them
// is answered when it arrives. It shows what is asked, but not when.
func AnsweredAtOnce(l Listener) Source { return answeredAtOnce{l} }

type answeredAtOnce struct{ Listener }

// Next implements [Source].
func (a answeredAtOnce) Next() (Request, bool) {
	r, ok := a.Listener.Next()
	if ok {
		a.Listener.Ended(End{ID: r.ID, At: r.Arrival, Ending: Completed})
	}
	return r, ok
}
