// SPDX-License-Identifier: Apache-2.0

// Package simulator is a discrete-event simulation of a serving cluster: a
// gateway that routes each request with a policy.Router, and replicas that
// run vLLM-V1-style engines (continuous batching, chunked prefill, paged KV
// cache with prefix reuse, preemption by recompute).
//
// Run takes a Config and returns an Outcome: counts that add up, histograms
// per pool, tenant and class, and what each replica did. Time is integer
// nanoseconds; events are ordered by (time, kind, sequence); a run owns all of
// its state. The same Config gives the same Outcome to the last bit.
//
// The package knows nothing of how a scenario is written down, of Kubernetes,
// or of how step times, cache identities and routing decisions come about.
package simulator
