// SPDX-License-Identifier: Apache-2.0

// Package study holds what the programs beside it share: they run many
// simulations on all cores and write what they found as a page with tables and
// a chart.
package study
