// SPDX-License-Identifier: Apache-2.0

package engine

import "windtunnel.dev/windtunnel/pkg/simulator/internal/measure"

// record is what is counted of a replica.
type record struct {
	Use measure.Use
	// Gauges follow the replica through time; nil where no series are asked for.
	Gauges    *measure.ReplicaGauges
	Lifetimes measure.Lifetimes
	// Exports are what the engine counts for a router that reads it; nil where none does.
	Exports *Exports
}
