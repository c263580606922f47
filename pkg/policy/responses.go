// SPDX-License-Identifier: Apache-2.0

package policy

import "windtunnel.dev/windtunnel/pkg/simtime"

// ResponseListener learns what a real gateway sees of an answer, so that a router
// can keep counters of its own. The request is only valid during the call; endpoint
// is the one that decodes it.
type ResponseListener interface {
	// FirstToken says that the first chunk of the answer passed the gateway.
	FirstToken(request *Request, endpoint int)
	// Finished says that the answer's stream ended, whole or not.
	Finished(request *Request, endpoint int)
}

// FirstTokenListener learns when answers begin.
type FirstTokenListener interface {
	// FirstTokenAt comes just before FirstToken.
	FirstTokenAt(at simtime.Time, request *Request)
}

// UsageListener learns what an answer cost, as engines report it at the end of the
// stream.
type UsageListener interface {
	// Used comes just before Finished, of answers that ended whole.
	Used(at simtime.Time, request *Request, outputTokens int)
}
