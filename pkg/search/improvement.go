// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// logImprovement returns the logarithm of the expected improvement: of how far
// a normal variate of that mean and deviation falls below best, counting 0
// where it does not. The logarithm still tells candidates apart where the
// improvement itself is too small for a float (Ament et al.: Unexpected
// Improvements to Expected Improvement for Bayesian Optimization, 2023).
func logImprovement(mean, deviation, best float64) float64 {
	return stats.Log(deviation) + logStandardImprovement((best-mean)/deviation)
}

// logStandardImprovement is log(φ(z) + z·Φ(z)).
//
// Far below, the two terms cancel. There, with Mills' ratio Φ(−t)/φ(t) as the
// continued fraction 1/(t + 1/(t + 2/(t + …))), what is left is φ(t) times the
// ratio times the fraction's tail, all of them positive.
func logStandardImprovement(z float64) float64 {
	if z > -2 {
		return stats.Log(normalDensity(z) + float64(z*normalCDF(z)))
	}
	t, tail := -z, 0.
	for k := 50.; k >= 1; k-- {
		tail = k / (t + tail)
	}
	return float64(-0.5*float64(z*z)) - logSqrtTwoPi + stats.Log(tail/(t+tail))
}

const (
	sqrtTwoPi    = 2.5066282746310002
	logSqrtTwoPi = 0.9189385332046727
)

func normalDensity(x float64) float64 {
	return stats.Exp(float64(-0.5*float64(x*x))) / sqrtTwoPi
}

// normalCDF is the probability that a standard normal variate is below x, to
// about 1e-15 (Marsaglia: Evaluating the Normal Distribution, 2004).
func normalCDF(x float64) float64 {
	if x > 9 {
		return 1
	}
	if x < -9 {
		return 0
	}
	sum, term := x, x
	for k := 3.; sum+term != sum; k += 2 {
		term = float64(term*float64(x*x)) / k
		sum += term
	}
	return math.Min(math.Max(0.5+float64(sum*normalDensity(x)), 0), 1)
}
