// SPDX-License-Identifier: Apache-2.0

package policy

import "windtunnel.dev/windtunnel/pkg/simtime"

// An Evictor ends requests that were sent to endpoints, to make room for those in
// the [Queue].
type Evictor interface {
	// Evict returns the ID of a request that is to end now, whatever it has been
	// given of its answer: one that was routed and has not finished. The
	// [ResponseListener] learns of its end after that. Evict is called until it
	// returns false, when Release has done so and no request is to be routed.
	Evict(now simtime.Time) (request int, ok bool)
}
