// SPDX-License-Identifier: Apache-2.0

// Package dataframe writes results for programs: rows of simulations, chosen and
// sorted by a [Query], as CSV, JSON lines or Parquet, and the requests of
// simulations as Parquet. It is apart from pkg/report, which the manager prints
// reports with, so that the manager links no Parquet.
package dataframe
