// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/handoff"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// shared is what the replicas of a cluster have in common.
type shared struct {
	Gateway  Gateway
	Handoffs *handoff.Set
	// order is nil where each replica can be advanced on its own. Otherwise it has the next
	// event of each, and advance advances them all.
	order   *order
	advance func(until simtime.Time)
	// due has a time for each replica before which nothing happens in it, where order is nil.
	// It is a list of its own because a router that follows replicas looks through all of them at
	// each arrival.
	due []simtime.Time
	// soonest are times that no due of a group of replicas precedes, so that groups in which nothing
	// happens yet are passed over.
	soonest []simtime.Time

	// Serving counts requests that no engine has given all of their tokens, those
	// that the router holds back included.
	Serving int
	// Draining says that no more requests arrive; DrainBound is up to when replicas
	// are advanced then that serve no request.
	Draining   bool
	DrainBound simtime.Time
}

// Gateway is where what replicas give reaches the gateway.
type Gateway interface {
	// DeliverFirstToken lets the first token that an endpoint gives of an answer reach the
	// gateway.
	DeliverFirstToken(id int32, q *request.Request, at simtime.Time)
	// DeliverEnd lets the last token of an answer reach the gateway, and then the end of its
	// stream.
	DeliverEnd(id int32, q *request.Request, last, at simtime.Time)
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

// setDue notes from when on something may happen in a replica.
func (s *shared) setDue(replica int, at simtime.Time) {
	s.due[replica] = at
	s.soonest[replica/dueGroup] = min(s.soonest[replica/dueGroup], at)
}
