// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// Cluster is the replicas and what they share. Where they share nothing, only
// arrivals, scrapes and what happens above the replicas have an order among them; what
// happens inside a replica is made up for when somebody looks at it. Figures are sums,
// which no order changes. Replicas that share a network or a tier are advanced in the
// order of time.
type Cluster struct {
	*Core
	Gateway replicaGateway
	// KVEvents hears what caches hold; nil where no router does.
	KVEvents policy.KVEventListener
	Replicas []Replica
	// order is nil where each replica can be advanced on its own.
	order *replicaOrder
	// AwaitsEnd says that replicas are advanced up to the next end of a request only.
	AwaitsEnd bool

	Handoffs handoffs
	Handoff  simulator.Handoff

	// Serving counts requests that no engine has given all of their tokens, those
	// that the router holds back included.
	Serving int
	// Draining says that no more requests arrive; drainBound is up to when replicas
	// are advanced then that serve nobody.
	Draining   bool
	DrainBound simtime.Time

	extents []prompt.Extent // scratch
}
