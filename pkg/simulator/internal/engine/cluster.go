// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/handoff"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/run"
)

// Cluster is the replicas and what they share. Where they share nothing, only
// arrivals, scrapes and what happens above the replicas have an order among them; what
// happens inside a replica is made up for when it is read. Figures are sums,
// which no order changes. Replicas that share a network or a tier are advanced in the
// order of time.
type Cluster struct {
	*run.State
	Gateway Gateway
	// KVEvents hears what caches hold; nil where no router does.
	KVEvents policy.KVEventListener
	Replicas []Replica
	// order is nil where each replica can be advanced on its own.
	order *replicaOrder
	// AwaitsEnd says that replicas are advanced up to the next end of a request only.
	AwaitsEnd bool

	Handoffs *handoff.Set

	// Serving counts requests that no engine has given all of their tokens, those
	// that the router holds back included.
	Serving int
	// Draining says that no more requests arrive; drainBound is up to when replicas
	// are advanced then that serve no request.
	Draining   bool
	DrainBound simtime.Time
}

// Gateway is where what replicas give reaches the gateway.
type Gateway interface {
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
