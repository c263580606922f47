// SPDX-License-Identifier: Apache-2.0

// Package stability tells, from what one replica meets, whether its KV cache
// keeps up with the arrivals, and how many cached blocks have to go so that what
// runs can go on.
//
// The theory is of Nie, Si and Zhou: A Queueing-Theoretic Framework for
// Stability Analysis of LLM Inference with KV Cache Memory Constraints (ICML
// 2026, arXiv:2605.04595). A replica holds M tokens of KV cache and a step
// takes b̄. A request of s prompt and o output tokens holds g(s,o) tokens, summed
// over its steps (TokenIterations). So
//
//	μ = M / (b̄·E[g])    requests a second are served at most
//	ρ = λ / μ           share of the cache that running requests take
//
// and the queue grows without bound where λ > μ. It stays bounded where
// λ < μ·(1-δ), under every batching that never idles while a request fits; δ is
// small where requests are small beside M. By Little's law ρ·M is also the mean
// of the tokens that running requests hold.
//
// There are two forms behind Controller. Queueing is the one to use.
// QueueingSeed is the published sketch of such a controller, literally: it is
// here to show what its formulas cost.
//
// The package keeps no clock and starts nothing: it is told of events with
// their times and answers questions. It knows nothing of caches and engines.
// Start at New.
package stability
