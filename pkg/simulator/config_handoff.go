// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Handoff is how the KV of a prompt goes from the replica that computed it to
// the one that decodes. The zero value will do where the router never asks for
// it. The two replicas have blocks of as many tokens and bytes.
type Handoff struct {
	// Egress and Ingress are the two directions of each replica's network
	// interface. A transfer crosses the egress of one and the ingress of the
	// other.
	Egress, Ingress transfer.Station
	// Granularity is what is sent at a time.
	Granularity Granularity
	// StartShare is the share of a prompt's transfer that has to have arrived
	// before decode begins; 0 means all of it. A pipelined hand-over has less
	// than 1.
	StartShare float64
	// SingleOwner drops the prefill replica's copy once the decode replica has
	// its own, so that the cluster has one owner of each block; otherwise the
	// copy stays cached.
	SingleOwner bool
	// MaxPending is how many hand-overs to one decode replica may be under way, from
	// when a prompt enters the queue of its prefill replica until its last block has
	// come. Further prompts wait outside that queue, first come, first served; 0 is no
	// bound.
	MaxPending int
}

// Granularity is what a hand-over sends at a time.
type Granularity int

const (
	// GranularityBlock sends the prompt when all of it is computed, one block
	// after the other, each of which waits for the latencies of the network.
	GranularityBlock Granularity = iota
	// GranularityChunk sends each chunk of the prompt at the end of the step
	// that computed it.
	GranularityChunk
	// GranularityStream sends each chunk while it is computed, layer by layer,
	// from the beginning of the step; it is there at the end of the step at the
	// earliest.
	GranularityStream
)

// Disruption fails, drains or recovers a replica.
type Disruption struct {
	// At is when: 0 or later.
	At simtime.Time
	// Endpoint numbers the replica through all pools.
	Endpoint int
	Kind     DisruptionKind
}

// DisruptionKind says what happens.
type DisruptionKind int

const (
	// Fail ends the replica with all that it holds. What it was to serve is
	// routed again.
	Fail DisruptionKind = iota
	// Drain lets the replica finish what it has; the router sends it nothing
	// more.
	Drain
	// Recover lets the router choose it again: after a failure with empty
	// caches.
	Recover
)
