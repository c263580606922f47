// SPDX-License-Identifier: Apache-2.0

// Package dataframe writes results for programs: rows of simulations, selected and
// sorted by a [Query], as CSV, JSON lines or Parquet, and requests as Parquet. The
// manager imports pkg/report but not this package, so it does not link Parquet.
package dataframe
