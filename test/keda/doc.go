// SPDX-License-Identifier: Apache-2.0

// Package keda writes testdata of pkg/policy/autoscaling/keda: what the parts of KEDA's operator
// decide that scale to and from zero, that replace a metric that fails, that read the calendar and
// that evaluate a formula.
//
// TestTheGoldenSet checks the committed file against KEDA, and writes it with -update. It needs
// minutes for the first build. KEDA runs unchanged, in a bubble of testing/synctest for its clock.
package keda
