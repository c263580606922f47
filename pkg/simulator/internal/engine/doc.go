// SPDX-License-Identifier: Apache-2.0

// Package engine is replicas that run vLLM-V1-style engines: wait queue, batch and step of
// each, and the order in which replicas are advanced. What a replica gives reaches the gateway
// through Gateway; the package knows nothing of policies but the scheduler of an engine.
package engine
