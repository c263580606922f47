// SPDX-License-Identifier: Apache-2.0

// Package calibrate fits the coefficients of latency.Roofline to requests that
// were measured on a real engine. It replays the requests, as they arrived, on
// one simulated replica with the engine's own settings, compares mean and
// percentiles of TTFT, TPOT and E2E with what was measured, and searches for
// the coefficients that bring them together.
//
// Everything is deterministic: the same log gives the same coefficients to the
// last bit. The package does not know where logs and results are kept.
//
// Start at ReadRequests, Run and Fit.
package calibrate
