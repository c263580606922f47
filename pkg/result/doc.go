// SPDX-License-Identifier: Apache-2.0

// Package result says what a simulation found, in a form that machines and
// people read.
//
// A [Document] is one simulation whole, made by [NewDocument] from what the
// simulator measured. Its figures are in base units: seconds, shares from 0 to
// 1, rates per second. A [Row] is its short form, the unit that is stored and
// used again. Both are asked with a [Metric] such as ttft.p99{class=critical}.
// Rows of many points and seeds become a [Leaderboard]: points ranked by
// objectives, with confidence intervals over the seeds and, seed by seed, a
// comparison with a baseline.
//
// A figure that nothing was measured for is absent, never 0. The same rows in
// any order give the same bytes.
//
// The package does not know what a scenario, a parameter or a policy is, how
// points come about, or where results are kept.
package result
