// SPDX-License-Identifier: Apache-2.0

// Package report prints results for people: tables of runs, leaderboards and comparisons
// with notes, reports in Markdown, and the state of stability controllers in the text
// format of Prometheus. It does not compute or judge results; pkg/result does.
package report
