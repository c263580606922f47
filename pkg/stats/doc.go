// SPDX-License-Identifier: Apache-2.0

// Package stats has the arithmetic of simulations: named random streams ([NewStream]),
// distributions, mergeable histograms ([Histogram]), confidence intervals over
// replications ([MeanInterval]) and significance tests ([MeanAboveP]). It does not know
// requests, replicas or time.
//
// All results have the same bits on every processor architecture. For this reason, an
// explicit conversion rounds each product that is added to a sum, so that no compiler
// fuses the two operations. The package has its own logarithms and exponentials ([Log],
// [Exp], [Pow], Atan), because the assembly versions of package math differ in the last
// bit.
//
// A test gives the one-sided p-value of a being above b. [TwoSidedP] combines both sides.
package stats
