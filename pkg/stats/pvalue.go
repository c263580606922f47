// SPDX-License-Identifier: Apache-2.0

package stats

import "math"

// MeanAboveP returns the p-value of Student's one-sided t-test: the probability
// of numbers that speak so strongly for a mean above limit, were the mean of
// their law limit or less. It is small exactly where [LowerBound] is above
// limit. Of fewer than two numbers, which show nothing, it is 1. Of equal
// numbers it is 0 where they are above limit and 1 elsewhere.
func MeanAboveP(xs []float64, limit float64) float64 {
	if len(xs) < 2 {
		return 1
	}
	mean, stdDev := moments(xs)
	return studentP(mean-limit, stdDev/math.Sqrt(float64(len(xs))), len(xs)-1)
}

// studentP returns the p-value of an estimate being above 0, given its standard
// error.
func studentP(estimate, standardError float64, degrees int) float64 {
	switch {
	case standardError > 0:
		return StudentTail(estimate/standardError, degrees)
	case estimate > 0:
		return 0
	default:
		return 1
	}
}

// PairedAboveP returns the p-value for a's mean being above b's, where a[i] and
// b[i] met the same random numbers: that of [MeanAboveP] over their
// differences. It panics where the lengths differ.
func PairedAboveP(a, b []float64) float64 {
	return MeanAboveP(Differences(a, b), 0)
}

// TwoSidedP returns the p-value of a test that looks to both sides, from those
// of the two tests that look to one.
func TwoSidedP(above, below float64) float64 {
	return min(1, 2*min(above, below))
}
