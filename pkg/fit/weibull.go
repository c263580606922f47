// SPDX-License-Identifier: Apache-2.0

package fit

import (
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// Weibull shapes that are tried, first in coarse steps and then in fine ones: 1 is exponential,
// less is burstier. The API takes no CV above 10.4, which is that of the least shape.
const leastShape, mostShape, coarseStep, fineStep = 0.26, 5, 0.1, 0.02

// weibullShape returns the shape whose distribution, with the mean of the gaps, is nearest to
// that of the gaps by the distance of Kolmogorov and Smirnov; 1 where the gaps do not tell.
func weibullShape(gaps []float64) float64 {
	slices.Sort(gaps)
	mean := 0.0
	for _, gap := range gaps {
		mean += gap / float64(len(gaps))
	}
	if !(mean > 0) {
		return 1
	}
	best, least := 1.0, distanceOf(gaps, mean, 1)
	try := func(from, to, step float64) {
		for shape := max(from, leastShape); shape <= min(to, mostShape); shape += step {
			shape := math.Round(shape*100) / 100
			if d := distanceOf(gaps, mean, shape); d < least {
				best, least = shape, d
			}
		}
	}
	try(leastShape, mostShape, coarseStep)
	try(best-coarseStep, best+coarseStep, fineStep)
	return best
}

// distanceOf returns the greatest distance of the distribution of sorted gaps and a Weibull
// distribution of a mean and a shape.
func distanceOf(gaps []float64, mean, shape float64) float64 {
	scale := mean / stats.Exp(stats.LogGamma(1+1/shape))
	distance := 0.0
	for i, gap := range gaps {
		below := 1 - stats.Exp(-stats.Pow(gap/scale, shape))
		n := float64(len(gaps))
		distance = max(distance, math.Abs(below-float64(i)/n), math.Abs(below-float64(i+1)/n))
	}
	return distance
}

// weibullCV returns the coefficient of variation of a Weibull distribution.
func weibullCV(shape float64) float64 {
	return math.Sqrt(stats.Exp(stats.LogGamma(1+2/shape)-float64(2*stats.LogGamma(1+1/shape))) - 1)
}
