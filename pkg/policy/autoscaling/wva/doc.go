// SPDX-License-Identifier: Apache-2.0

// Package wva decides as the saturation analysers of llm-d's workload-variant-autoscaler do. It
// knows neither Kubernetes nor the simulator: the caller observes, and asks for a decision every
// Interval, or TokensInterval.
//
// [Config.Decide] is the analyser by percentages (release of February 2026, commit b08b1c77), for a
// model with one variant. [Tokens.Decide] is the analyser by tokens, the default since v0.9.0 (the
// fork deanlorenz/llm-d-workload-variant-autoscaler at commit 2976e4ee, of August 2026), for a
// model with several variants and roles, with the optimizer by cost, or the one within limits of
// accelerators. testdata holds answers of the real analysers, which the package repeats exactly. The
// tests in test/wva write them.
//
// Not in here: the analysers by throughput and by a queueing model, several models that compete for
// accelerators, rescale, engines that export no size of their KV cache, and scaling to zero, which is a
// ConfigMap of its own.
package wva
