// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"fmt"
	"math"
)

// Interval is the mean of N numbers with a confidence interval of the mean of
// the law they were drawn from. Where N is 1 nothing is known of the spread:
// Low and High are the mean and StdDev is 0, and callers look at N. Where N is
// 0 everything is 0.
type Interval struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// StdDev is that of the sample, with N-1 degrees of freedom.
	StdDev float64 `json:"stdDev"`
	N      int     `json:"n"`
}

// MeanInterval returns the Student-t interval of the mean of finite numbers,
// at a confidence such as 0.95.
func MeanInterval(xs []float64, confidence float64) Interval {
	if len(xs) == 0 {
		return Interval{}
	}
	mean, stdDev := moments(xs)
	if len(xs) == 1 {
		return Interval{Mean: mean, Low: mean, High: mean, N: 1}
	}
	margin := float64(StudentT(confidence, len(xs)-1) * (stdDev / math.Sqrt(float64(len(xs)))))
	return Interval{Mean: mean, Low: mean - margin, High: mean + margin, StdDev: stdDev, N: len(xs)}
}

// moments returns the mean of one number or more and the standard deviation
// with one degree of freedom less; 0 of one number.
func moments(xs []float64) (mean, stdDev float64) {
	// Sums of distances from the first number are exact where all are equal,
	// which a sum of the numbers themselves is not.
	n := float64(len(xs))
	total := 0.0
	for _, x := range xs {
		total += x - xs[0]
	}
	mean = xs[0] + total/n
	if len(xs) == 1 {
		return mean, 0
	}
	squares := 0.0
	for _, x := range xs {
		squares += float64((x - mean) * (x - mean))
	}
	return mean, math.Sqrt(squares / (n - 1))
}

// PairedDifference returns the interval of the mean of a[i]-b[i]. Where a and b
// met the same random numbers, as two candidates under one seed do, what those
// numbers did to both cancels and the interval is narrow. It panics where the
// lengths differ.
func PairedDifference(a, b []float64, confidence float64) Interval {
	return MeanInterval(Differences(a, b), confidence)
}

// Differences returns a[i]-b[i]. It panics where the lengths differ.
func Differences(a, b []float64) []float64 {
	mustPair(a, b)
	differences := make([]float64, len(a))
	for i := range a {
		differences[i] = a[i] - b[i]
	}
	return differences
}

func mustPair(a, b []float64) {
	if len(a) != len(b) {
		panic(fmt.Sprintf("stats: %d numbers paired with %d", len(a), len(b)))
	}
}
