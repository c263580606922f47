// SPDX-License-Identifier: Apache-2.0

// Package keda decides as KEDA 2.21 does for a ScaledObject: Convert returns the autoscaler that
// KEDA makes of it, which package hpa has, and a Scaler is KEDA's own part, between no or idle
// replicas and the minimum. It knows neither Kubernetes nor the simulator.
//
// The caller asks the triggers every Polling, calls Activity and Request, and writes the count if
// Request says so. At each sync of the autoscaler it asks them again, and Observe turns an answer
// into what the autoscaler sees.
//
// testdata holds answers of the real operator, which the package repeats exactly. The program in
// test/keda writes them.
//
// Not in here: push scalers, and formulas of other than numbers. A count that Request writes counts
// as a change by another hand for the autoscaler.
package keda
