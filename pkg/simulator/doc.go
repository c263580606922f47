// SPDX-License-Identifier: Apache-2.0

// Package simulator is a discrete-event simulation of a serving cluster: a
// gateway that routes each request with a policy.Router, and replicas that
// run vLLM-V1-style engines (continuous batching, chunked prefill, paged KV
// cache with prefix reuse, preemption by recompute). KV may move: to tiers
// below GPU memory and back, and from a replica that computed a prompt to one
// that decodes. Replicas may fail, drain and recover.
//
// Run takes a Config and returns an Outcome: counts that add up, histograms
// per pool, tenant and class, and what each replica did. Time is integer
// nanoseconds, and what happens at one of them has an order, which
// simulation.run states; a run owns all of its state. The same Config gives the
// same Outcome to the last bit.
//
// Start at run.go for the cluster, replica.go for an engine, batch.go for why a
// step does not walk over its batch. Where KV moves, network.go has what crosses
// links and what is to be done when it has; lower.go is the tiers, load.go brings
// blocks up from them, copying.go takes them down, and offload.go says when;
// keep.go has those whose request has ended meanwhile. handoff.go is a prompt's
// way between two replicas, port.go a replica's end of it and flight.go one
// transfer. resume.go says how a request goes on with the blocks that came, and
// give_way.go who gives up some for it. Replicas that share a network or a tier
// are advanced by together.go. disruption.go is what befalls them. plain_test.go
// has all of it without the shortcuts.
//
// The package knows nothing of how a scenario is written down, of Kubernetes,
// or of how step times, cache identities and routing decisions come about.
package simulator
