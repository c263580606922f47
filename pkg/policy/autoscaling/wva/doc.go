// SPDX-License-Identifier: Apache-2.0

// Package wva decides as the saturation analyser by percentages of llm-d's
// workload-variant-autoscaler does (release of February 2026, commit b08b1c77), for a model
// with one variant. It knows neither Kubernetes nor the simulator: the caller observes, and
// calls Decide every Interval.
//
// Start at Config.Decide. testdata holds answers of the real analyser, which the package
// repeats exactly. The test in test/wva writes them.
//
// Not in here: models with several variants, the analyser by tokens (analyzerName saturation),
// the limiter of GPUs, and scaling to zero, which is a ConfigMap of its own.
package wva
