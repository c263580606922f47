// SPDX-License-Identifier: Apache-2.0

package simulator

import "windtunnel.dev/windtunnel/pkg/simtime"

// A Preemption is a request that a replica takes out of its batch because KV blocks are short.
type Preemption struct {
	At simtime.Time
	// Request is its ID, Replica counts the replicas of all pools, in their order.
	Request, Replica int
}
