// SPDX-License-Identifier: Apache-2.0

package run

import (
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// Observer watches a run from inside. The invariants are one; a run without
// any pays a comparison for it. An observer changes nothing, and pointers
// that it is given hold only during the call.
type Observer interface {
	// Arrived: the request was routed and accepted, and is in no queue yet.
	Arrived(id int32)
	// Rejected: the request ended at the gateway, or a replica refused it.
	Rejected(info *policy.Request, reason simulator.Reason)
	// Formed: the replica's next step was chosen and its blocks allocated,
	// or there is none (no sequences).
	Formed(replica int32, step latency.Step)
	// Preempted: the request went from the batch back into the wait queue, at its turn.
	Preempted(replica, id int32)
	// Token: the engine gave n tokens at once, which reach the gateway at a time.
	Token(id, n int32, at simtime.Time)
	// Ended: the request is about to be forgotten.
	Ended(id int32, at simtime.Time, how request.Ending)
	// Settled: a request was sent on its way (simulator.NoReplica), or a replica's step
	// ended and the next one began.
	Settled(replica int32)
	// Over: the run has ended.
	Over()
}
