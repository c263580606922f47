// SPDX-License-Identifier: Apache-2.0

// Package result holds the results of simulations for machines and people, and compares
// them. It does not know scenarios, parameters or policies, or where results are stored.
//
// A [Document] is the full result of one simulation; [NewDocument] makes it from the
// output of the simulator, in base units: seconds, shares from 0 to 1, rates per second.
// A [Row] is its short form, which is stored and reused. A [Metric] such as
// ttft.p99{class=critical} selects a value of either. A [Leaderboard] ranks points by
// objectives, with confidence intervals over the seeds and a comparison with a baseline,
// paired by seed.
//
// A value without a measurement is absent, never 0. The same rows in any order give the
// same bytes.
package result
