// SPDX-License-Identifier: Apache-2.0

package policy

import "windtunnel.dev/windtunnel/pkg/simtime"

// A Revoker is a Holder that may also end requests which it has sent to
// endpoints, to make room for those that it keeps.
type Revoker interface {
	Holder
	// Revokes is asked once, before the first request: where it is false, no
	// request is ever ended.
	Revokes() bool
	// Revoke returns the ID of a request that is to end now, whatever it has been
	// given of its answer: one that was routed, and whose end the Listener has not
	// been told of, which it is after that. It is called until it returns false,
	// when Release has done so and nobody is to be routed.
	Revoke(now simtime.Time) (request int, ok bool)
}
