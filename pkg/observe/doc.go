// SPDX-License-Identifier: Apache-2.0

// Package observe holds a prediction against what a cluster's Prometheus has: after a rollout,
// is the cluster as it was simulated, and if not, which assumption moved.
//
// A [Recording] is what a Prometheus scraped. It comes from [Ask], from [Read], or from [Play],
// which simulates a scenario and scrapes that. [Window.Figures] turns a recording into figures by
// hour, in the same way wherever it comes from: the estimates of quantiles from buckets err on both
// sides alike. [Predict] plays a scenario under many seeds, Hold compares the measured figures
// with the predicted ones and tests for drift, and Blame plays the scenario again with one
// assumption at a time as it was measured.
//
// It knows no Kubernetes: a [Maker] makes the input of a simulation.
package observe
