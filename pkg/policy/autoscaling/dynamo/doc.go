// SPDX-License-Identifier: Apache-2.0

// Package dynamo decides as the planner of NVIDIA Dynamo does (ai-dynamo/dynamo at commit 2a6da14c, main
// of August 2026 on the way to 1.5.0, components/src/dynamo/planner). It knows neither Kubernetes nor
// the simulator: the caller observes, and asks for a decision every load_adjustment_interval_seconds.
//
// The load loop adds or takes away one replica of a role, by thresholds of what engines hold, or by
// the latencies that a model of an engine foresees. The throughput loop counts the replicas that
// serve the traffic which is forecast. testdata holds answers of the real planner, which the package
// repeats: replicas exactly, and figures up to the rounding of its matrices. The tests in
// test/planner write them.
//
// Not in here: a planner of prefill or of decode alone, power budgets, plugins, the global planner, the
// predictors arima and prophet, and the fit of the model to measured steps, which is the caller's.
package dynamo
