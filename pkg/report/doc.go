// SPDX-License-Identifier: Apache-2.0

// Package report prints results for people: tables of runs, leaderboards and
// comparisons with notes on what their figures rest on, reports in Markdown, and
// the state of stability controllers in the text format of Prometheus. What the
// figures are, and what they mean, is decided in pkg/result.
package report
