// SPDX-License-Identifier: Apache-2.0

// Package calibrate fits the coefficients of latency.Roofline to measured requests of
// a real engine. It replays the requests on one simulated replica with the settings
// of that engine, compares mean and percentiles of TTFT, TPOT and E2E with the
// measurement, and searches for the coefficients with the smallest error. It does not
// know where logs and results are stored.
//
// The fit is deterministic: the same log gives the same coefficients, to the last bit.
//
// Start at ReadRequests, Run and Fit.
package calibrate
