// SPDX-License-Identifier: Apache-2.0

package stats

import "math"

// normalTail returns the probability that a standard normal variate is x or
// more, with a relative error of about 1e-14,
// and 1e-13 where it is below 1e-100.
func normalTail(x float64) float64 {
	switch a := math.Abs(x); {
	case a < 2:
		return 0.5 - normalCentre(x)
	case x > 0:
		return farNormalTail(x)
	case x < 0:
		return 1 - farNormalTail(a)
	default: // not a number
		return x
	}
}

// normalCentre returns the probability of [0, x], negative for x below 0, by
// the series of Abramowitz, Stegun: Handbook of Mathematical Functions, 26.2.11.
func normalCentre(x float64) float64 {
	square := float64(x * x)
	sum, term := 0.0, x
	for k := 3.0; sum+term != sum; k += 2 {
		sum += term
		term = float64(term * (square / k))
	}
	return float64(normalDensity(x) * sum)
}

// farNormalTail is that of x ≥ 2, by the continued fraction of Abramowitz,
// Stegun, 26.2.14, from its end: x + 1/(x + 2/(x + 3/(x + …))).
func farNormalTail(x float64) float64 {
	const terms = 100 // from 2 on more change nothing
	fraction := x
	for k := float64(terms); k > 0; k-- {
		fraction = x + k/fraction
	}
	return normalDensity(x) / fraction
}

func normalDensity(x float64) float64 {
	const rootTwoPi = 2.5066282746310002
	return Exp(-0.5*float64(x*x)) / rootTwoPi
}
