// SPDX-License-Identifier: Apache-2.0

// Package hpa decides replica counts as the HorizontalPodAutoscaler of Kubernetes does
// (autoscaling/v2, the controller of release 1.36 with its default feature gates). It knows
// neither Kubernetes nor the simulator: the caller observes, calls Sync every
// Options.SyncPeriod, and writes the count that Sync decides.
//
// Start at Autoscaler. A sync has three steps, each in files of its own:
//
//   - proposals.go asks each metric for a count and takes the largest. value.go has the metrics
//     of one value, average.go those with one reading for each pod, and groups.go says which
//     pods count.
//   - stabilise.go compares the count with earlier recommendations.
//   - limit.go and events.go bound how fast the count moves.
//
// testdata holds answers of the real controller, which the package repeats exactly. The
// program in test/hpa writes them.
//
// Not in here: the gate HPAScaleToZero (off by default), samples of pods that the target does
// not select, and faults of the target itself. Where the real controller converts a number
// that does not fit into 32 bits, its result depends on the processor; here the count is the
// nearest one that fits.
package hpa
