// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// cluster is the replicas and what they share. Where they share nothing, only
// arrivals, scrapes and what happens above the replicas have an order among them; what
// happens inside a replica is made up for when somebody looks at it. Figures are sums,
// which no order changes. Replicas that share a network or a tier are advanced in the
// order of time.
type cluster struct {
	*core
	gateway replicaGateway
	// kvEvents hears what caches hold; nil where no router does.
	kvEvents policy.KVEventListener
	replicas []replica
	// order is nil where each replica can be advanced on its own.
	order *replicaOrder
	// awaitsEnd says that replicas are advanced up to the next end of a request only.
	awaitsEnd bool

	handoffs handoffs
	handoff  simulator.Handoff

	// serving counts requests that no engine has given all of their tokens, those
	// that the router holds back included.
	serving int
	// draining says that no more requests arrive; drainBound is up to when replicas
	// are advanced then that serve nobody.
	draining   bool
	drainBound simtime.Time

	extents []prompt.Extent // scratch
}
