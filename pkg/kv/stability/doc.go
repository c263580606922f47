// SPDX-License-Identifier: Apache-2.0

// Package stability estimates for one replica whether its KV cache can sustain the
// arrival rate, and how many cached blocks to evict so that running requests can
// continue. It has no clock: callers report events with their times. It does not know
// caches or engines.
//
// The theory is of Nie, Si and Zhou: A Queueing-Theoretic Framework for
// Stability Analysis of LLM Inference with KV Cache Memory Constraints (ICML
// 2026, arXiv:2605.04595). A replica has M tokens of KV cache and a step
// takes b̄. A request of s prompt and o output tokens holds g(s,o) tokens, summed
// over its steps (TokenIterations). So
//
//	μ = M / (b̄·E[g])    maximum rate of served requests, per second
//	ρ = λ / μ           share of the cache that running requests occupy
//
// and the queue grows without bound if λ > μ. It stays bounded if
// λ < μ·(1-δ), under every batching that never idles while a request fits; δ is
// small if requests are small relative to M. By Little's law ρ·M is also the mean
// number of tokens that running requests hold.
//
// There are two implementations of Controller. Use Queueing. QueueingSeed is the
// published sketch of such a controller, taken literally; it shows what its formulas
// cost.
//
// Start at New.
package stability
