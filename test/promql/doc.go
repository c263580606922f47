// SPDX-License-Identifier: Apache-2.0

// Package promql writes testdata of pkg/policy/autoscaling/query: what Prometheus answers to
// random queries of engines that start, restart and end.
//
// The package also has Prometheus evaluate the alerts of config/prometheus.
//
// TestTheGoldenSet checks the committed file against Prometheus, and writes it with -update.
// story.go makes up what is scraped, queries.go what is asked.
package promql
