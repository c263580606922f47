// SPDX-License-Identifier: Apache-2.0

// Package simulator is a discrete-event simulation of a serving cluster: a
// gateway that routes each request with a policy.Router, and replicas that
// run vLLM-V1-style engines (continuous batching, chunked prefill, paged KV
// cache with prefix reuse, preemption by recompute).
//
// Run takes a Config and returns an Outcome: counts that add up, histograms
// per pool, tenant and class, and what each replica did. Time is integer
// nanoseconds, and what happens at one of them has an order, which
// simulation.run states; a run owns all of its state. The same Config gives the
// same Outcome to the last bit.
//
// Start at run.go for the cluster, replica.go for an engine, batch.go for why a
// step does not walk over its batch. plain_test.go has all of it without the
// shortcuts.
//
// The package knows nothing of how a scenario is written down, of Kubernetes,
// or of how step times, cache identities and routing decisions come about.
package simulator
