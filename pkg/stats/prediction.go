// SPDX-License-Identifier: Apache-2.0

package stats

import "math"

// Prediction returns where one more number of the law of xs lies with a confidence such as
// 0.95: mean ± t·s·√(1 + 1/n), with t of n−1 degrees of freedom (Hahn, Meeker: Statistical
// Intervals, 1991, chapter 4). It is exact for a normal law. The root has the spread of the
// new number, and that of the mean, which is not known exactly. Low and High are the bounds;
// of fewer than two numbers they are the mean, as those of [MeanInterval].
func Prediction(xs []float64, confidence float64) Interval {
	of := MeanInterval(xs, confidence)
	if of.N < 2 {
		return of
	}
	margin := float64(StudentT(confidence, of.N-1) * float64(of.StdDev*spreadOfOneMore(of.N)))
	of.Low, of.High = of.Mean-margin, of.Mean+margin
	return of
}

// PredictionP returns the p-value of a number being drawn from the law of xs: the probability
// of one that is as far from the mean of xs, or further. It is at most 1 − confidence exactly
// where the number is outside of [Prediction], but for rounding. A distance of up to tolerance
// from the mean counts as none. Of fewer than two numbers it is 1.
func PredictionP(xs []float64, number, tolerance float64) float64 {
	if len(xs) < 2 {
		return 1
	}
	mean, stdDev := moments(xs)
	distance := math.Max(0, math.Abs(number-mean)-tolerance)
	if distance == 0 {
		return 1
	}
	return min(1, 2*studentP(distance, stdDev*spreadOfOneMore(len(xs)), len(xs)-1))
}

// spreadOfOneMore is the standard deviation of a further number's distance from the mean of n,
// in standard deviations of the law.
func spreadOfOneMore(n int) float64 { return math.Sqrt(1 + 1/float64(n)) }
