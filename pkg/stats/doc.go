// SPDX-License-Identifier: Apache-2.0

// Package stats holds the arithmetic that a simulation's numbers pass through:
// random streams that are found by name ([NewStream]), distributions drawn from
// them, histograms that merge in any order ([Histogram]), confidence intervals
// over replications ([MeanInterval]) and tests of what replications claim
// ([MeanAboveP]).
//
// Everything here gives the same bits on every processor architecture. To that
// end products that feed a sum, or a caller that may add to them, are rounded
// by an explicit conversion, so that no compiler fuses them, and logarithms and
// exponentials are our own ([Log], [Exp], [Pow], [Atan]) in place of package
// math's, whose assembly versions differ in the last bit. The package knows
// nothing of requests, replicas or time.
//
// A test gives the p-value of one side: of a being above b. [TwoSidedP] makes
// one of both sides of the two.
package stats
