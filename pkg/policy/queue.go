// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"errors"
	"fmt"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

var (
	// ErrHeld says that the router keeps the request in its [Queue].
	ErrHeld = errors.New("held back")
	// ErrQueueFull says that there was no room to keep a request in.
	ErrQueueFull = fmt.Errorf("the queue is full: %w", ErrNoEndpoint)
	// ErrExpired says that a request was kept for as long as it may be.
	ErrExpired = fmt.Errorf("waited too long: %w", ErrNoEndpoint)
)

// A Queue holds requests for which Route returned ErrHeld, and sends them on their
// way later.
type Queue interface {
	// Queues reports whether the queue may hold a request such as this one. How long
	// the gateway kept a request is a figure of these requests only.
	Queues(request *Request) bool
	// Wake returns when Release is to be called next; false where the queue is empty.
	// That is after now where Release was called because the queue woke, and otherwise
	// not before now. Wake is asked whenever Release has returned false.
	Wake(now simtime.Time) (at simtime.Time, ok bool)
	// Release lets one request go, if one may go now; it is called until it
	// returns false: after each Route and whenever it is time to wake. The view
	// is only valid during the call.
	Release(view *View) (Released, bool)
	// Cancel takes back a request that the queue holds, as its client has given it up
	// now. Release does not return it. The request is only valid during the call.
	Cancel(now simtime.Time, request *Request)
}

// Released is a request that has left a [Queue].
type Released struct {
	// Request is its ID.
	Request int
	// Decision is where it goes, unless Err says that it is turned away: an
	// error that wraps ErrNoEndpoint.
	Decision Route
	Err      error
}
