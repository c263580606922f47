// SPDX-License-Identifier: Apache-2.0

// Package lint finds what is probably a mistake in a HorizontalPodAutoscaler, a ScaledObject or
// the ConfigMap of the workload-variant-autoscaler of a cluster that serves models, in addition to what package manifest refuses. One file has one rule;
// examples/ID has a manifest with a finding and one without, which are its test.
//
// Start at [Check].
package lint
