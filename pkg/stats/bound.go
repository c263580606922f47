// SPDX-License-Identifier: Apache-2.0

package stats

import "math"

// LowerBound returns the number that the mean of the law behind xs is above
// with that confidence, by Student's t: the one-sided bound, which is nearer to
// the mean than the lower end of [MeanInterval] at the same confidence. Of
// fewer than two numbers it is -Inf. It panics where confidence is not in
// (0.5, 1).
func LowerBound(xs []float64, confidence float64) float64 {
	critical := oneSidedT(confidence, max(len(xs)-1, 1))
	if len(xs) < 2 {
		return math.Inf(-1)
	}
	mean, stdDev := moments(xs)
	return mean - float64(critical*(stdDev/math.Sqrt(float64(len(xs)))))
}

// UpperBound returns the number that the mean of the law behind xs is below
// with that confidence; +Inf of fewer than two numbers. See [LowerBound].
func UpperBound(xs []float64, confidence float64) float64 {
	critical := oneSidedT(confidence, max(len(xs)-1, 1))
	if len(xs) < 2 {
		return math.Inf(1)
	}
	mean, stdDev := moments(xs)
	return mean + float64(critical*(stdDev/math.Sqrt(float64(len(xs)))))
}

// oneSidedT returns what a Student-t variate is below with that probability.
func oneSidedT(confidence float64, degrees int) float64 {
	return StudentT(float64(2*confidence)-1, degrees)
}
