// SPDX-License-Identifier: Apache-2.0

package engine

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
	// Arrived: the request was routed and accepted, and is in no queue yet.
	Arrived(id int32)
	// Rejected: the request ended at the gateway or at the engine's door.
	Rejected(info *policy.Request, reason simulator.Reason)
	// Formed: the replica's next step was chosen and its blocks allocated,
	// or there is none (no sequences).
	Formed(r *Replica, step latency.Step)
	// Preempted: the request went from the batch back into the wait queue, at its turn.
	Preempted(r *Replica, id int32)
	// Token: the engine gave n tokens at once, which reach the gateway at a time.
	Token(id, n int32, at simtime.Time)
	// Ended: the request is about to be forgotten.
	Ended(id int32, at simtime.Time, how request.Ending)
	// Settled: a request was sent on its way (r is nil), or a replica's step
	// ended and the next one began.
	Settled(r *Replica)
	// Over: the run has ended.
	Over()
}

// replicaGateway is where what replicas give reaches the gateway.
type replicaGateway interface {
	// DeliverFirstToken lets the first token that an endpoint gives of an answer reach the
	// gateway.
	DeliverFirstToken(id int32, q *request.Request, at simtime.Time)
	// DeliverEnd lets the last token of an answer reach the gateway.
	DeliverEnd(r *Replica, id int32, q *request.Request)
	// Heard says that the source has been told of an end, so that the next arrival may be
	// an earlier one.
	Heard() bool
	// DeliverNext lets what reaches the gateway first do so, if that is before the next
	// event of the replicas and before a time.
	DeliverNext(event, until simtime.Time) bool
	// NextDelivery is when something reaches the gateway that may bring a request; Never
	// where no request waits for that.
	NextDelivery() simtime.Time
}
