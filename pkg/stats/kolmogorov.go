// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"math"
	"slices"
)

// TwoSampleKS returns the statistic of Kolmogorov and Smirnov of two samples, the greatest
// distance of their empirical distributions, and its p-value: the probability of such a
// distance or more, were both drawn from one continuous law. The p-value is the asymptotic
// one with the correction of Stephens (Journal of the Royal Statistical Society B, 1970). With
// ties it is too great. It panics where a sample is empty.
func TwoSampleKS(a, b []float64) (distance, p float64) {
	if len(a) == 0 || len(b) == 0 {
		panic("stats: an empty sample has no distribution")
	}
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	for i, j := 0, 0; i < len(a) && j < len(b); {
		x := min(a[i], b[j])
		for i < len(a) && a[i] == x {
			i++
		}
		for j < len(b) && b[j] == x {
			j++
		}
		distance = max(distance, math.Abs(float64(i)/float64(len(a))-float64(j)/float64(len(b))))
	}
	n := math.Sqrt(float64(len(a)) / float64(len(a)+len(b)) * float64(len(b)))
	return distance, kolmogorovTail((n + 0.12 + 0.11/n) * distance)
}

// kolmogorovTail is the probability that Kolmogorov's distribution has for more than x.
func kolmogorovTail(x float64) float64 {
	if x < 0.2 {
		return 1 // to more digits than a float64 has
	}
	sum, sign := 0.0, 1.0
	for k := 1.0; k <= 100; k++ {
		term := Exp(-2 * float64(k*k) * float64(x*x))
		sum += sign * term
		sign = -sign
		if term < 1e-17 {
			break
		}
	}
	return min(1, max(0, 2*sum))
}
