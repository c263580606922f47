// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// bootstrapInterval returns a confidence interval of a statistic of the law
// behind xs, such as a median or a mean of something skewed, for which the
// t-interval would be wrong. In the result Mean is the statistic of xs itself,
// StdDev is of xs. The statistic may reorder the numbers it is given, but not
// keep them. As in [stats.MeanInterval] one number has no ends, and none is all 0.
//
// The ends are quantiles of the statistic over that many resamples of xs,
// corrected for bias and for a spread that changes with the statistic (BCa;
// Efron: Better Bootstrap Confidence Intervals, JASA 82, 1987). Use 2000
// resamples or more. Of fewer than about ten numbers resamples are too alike,
// and the interval is narrower than it claims: there [stats.MeanInterval] is safer.
// It panics where confidence is not in (0, 1) or resamples is below 1.
func bootstrapInterval(xs []float64, statistic func([]float64) float64, confidence float64, resamples int, s *stats.Stream) stats.Interval {
	if !(confidence > 0 && confidence < 1) || resamples < 1 {
		panic(fmt.Sprintf("bootstrap at confidence %v with %d resamples", confidence, resamples))
	}
	if len(xs) == 0 {
		return stats.Interval{}
	}
	estimate := statistic(slices.Clone(xs))
	if len(xs) == 1 {
		return stats.Interval{Mean: estimate, Low: estimate, High: estimate, N: 1}
	}
	estimates := resampled(xs, statistic, resamples, s)
	bias := normalQuantile(shareBelow(estimates, estimate))
	acceleration := jackknifeAcceleration(xs, statistic)
	end := func(p float64) float64 {
		z := bias + normalQuantile(p)
		slope := max(0x1p-52, 1-float64(acceleration*z))
		return interpolated(estimates, normalBelow(bias+z/slope))
	}
	stdDev := stats.MeanInterval(xs, confidence).StdDev
	half := float64(0.5 * confidence)
	return stats.Interval{Mean: estimate, Low: end(0.5 - half), High: end(0.5 + half), StdDev: stdDev, N: len(xs)}
}

// resampled returns the statistic of each of a number of draws of len(xs) numbers
// from xs, sorted.
func resampled(xs []float64, statistic func([]float64) float64, resamples int, s *stats.Stream) []float64 {
	estimates, sample := make([]float64, resamples), make([]float64, len(xs))
	for r := range estimates {
		for i := range sample {
			sample[i] = xs[s.IntN(len(xs))]
		}
		estimates[r] = statistic(sample)
	}
	slices.Sort(estimates)
	return estimates
}

// shareBelow returns what share of the sorted numbers is below x, equal ones
// counted by half, kept half a number away from 0 and 1.
func shareBelow(sorted []float64, x float64) float64 {
	below, _ := slices.BinarySearch(sorted, x)
	equal := 0
	for _, v := range sorted[below:] {
		if v != x {
			break
		}
		equal++
	}
	n := float64(len(sorted))
	count := float64(below) + float64(0.5*float64(equal))
	return max(0.5, min(n-0.5, count)) / n
}

// jackknifeAcceleration returns how the spread of the statistic changes with
// it: the skewness of the statistics that leave out one number each, over 6√n.
func jackknifeAcceleration(xs []float64, statistic func([]float64) float64) float64 {
	n := len(xs)
	leftOut, sample := make([]float64, n), make([]float64, n-1)
	for i := range xs {
		copy(sample, xs[:i])
		copy(sample[i:], xs[i+1:])
		leftOut[i] = statistic(sample)
	}
	mean := average(leftOut)
	squares, cubes := 0.0, 0.0
	for _, v := range leftOut {
		d := mean - v
		square := float64(d * d)
		squares += square
		cubes += float64(square * d)
	}
	if squares == 0 {
		return 0
	}
	return cubes / (6 * float64(squares*math.Sqrt(squares)))
}

// interpolated returns the quantile of sorted numbers at p, the i-th of n, from
// 1, being that at i/(n+1).
func interpolated(sorted []float64, p float64) float64 {
	last := float64(len(sorted) - 1)
	position := max(0, min(last, float64(p*(last+2))-1))
	low := math.Floor(position)
	a, b := sorted[int(low)], sorted[int(math.Ceil(position))]
	return a + float64((position-low)*(b-a))
}

// normalQuantile returns the x below which a standard normal variate falls with
// probability p.
func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// normalBelow returns the probability that a standard normal variate is below x.
func normalBelow(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }
