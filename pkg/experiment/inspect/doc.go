// SPDX-License-Identifier: Apache-2.0

// Package inspect simulates one case of a plan and answers questions about it, which need
// more than the result: a summary of what went wrong, or the story of a decision.
//
// A [Fence] answers where the simulation runs untrusted code. What it answers
// with is bounded: texts and a report, and no stream of decisions.
package inspect
