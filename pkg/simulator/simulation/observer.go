// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// observer watches a run from inside. The invariants are one; a run without
// any pays a comparison for it. An observer changes nothing, and pointers
// that it is given hold only during the call.
type observer interface {
	// arrived: the request was routed and accepted, and is in no queue yet.
	arrived(s *simulation, id int32)
	// rejected: the request ended at the gateway or at the engine's door.
	rejected(s *simulation, info *policy.Request, reason simulator.Reason)
	// formed: the replica's next step was chosen and its blocks allocated,
	// or there is none (no sequences).
	formed(s *simulation, r *replica, step latency.Step)
	// preempted: the request went from the batch back into the wait queue, at its turn.
	preempted(s *simulation, r *replica, id int32)
	// token: the engine gave n tokens at once, which reach the gateway at a time.
	token(s *simulation, id, n int32, at simtime.Time)
	// ended: the request is about to be forgotten.
	ended(s *simulation, id int32, at simtime.Time, how request.Ending)
	// settled: a request was sent on its way (r is nil), or a replica's step
	// ended and the next one began.
	settled(s *simulation, r *replica)
	// over: the run has ended.
	over(s *simulation)
}
