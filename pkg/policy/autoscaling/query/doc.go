// SPDX-License-Identifier: Apache-2.0

// Package query evaluates queries of metrics as Prometheus does: those that KEDA's triggers
// and metrics adapters ask, over what the simulator's monitoring system scraped. [Compile]
// reads a query in PromQL, [Metrics] lists what a query can read, and functions what it
// can call.
//
// [github.com/VictoriaMetrics/metricsql] parses; compile*.go turn its tree into a tree of
// nodes and refuse what Prometheus does not have; the other files are the nodes.
package query
