// SPDX-License-Identifier: Apache-2.0

package stats

import "math"

// Zipf is the distribution of whole numbers k of a range with a probability in
// proportion to k^-s, where s is the exponent. [ZipfOf] makes one.
type Zipf struct {
	exponent  float64
	min, max  float64
	low, high float64 // range of integral that Sample draws from
	mean      float64
}

// ZipfOf returns the distribution over low to high, both included and low at least 1, for
// an exponent of 0 or more.
func ZipfOf(exponent float64, low, high int) Zipf {
	z := Zipf{exponent: exponent, min: float64(low), max: float64(high)}
	z.low = integralOfPower(z.min+0.5, exponent) - Pow(z.min, -exponent)
	z.high = integralOfPower(z.max+0.5, exponent)
	z.mean = sumOfPowers(z.min, z.max, exponent-1) / sumOfPowers(z.min, z.max, exponent)
	return z
}

// Sample takes a number of draws that varies, about one. It inverts the integral of x^-s.
// Around k that has a part of size k^-s, which is what it accepts (Hörmann, Derflinger:
// Rejection-Inversion to Generate Variates from Monotone Discrete Distributions, ACM
// TOMACS 6, 1996).
func (z Zipf) Sample(s *Stream) float64 {
	for {
		u := z.low + float64((z.high-z.low)*s.OpenFloat64())
		k := math.Round(inverseOfIntegral(u, z.exponent))
		k = max(z.min, min(z.max, k))
		if u >= integralOfPower(k+0.5, z.exponent)-Pow(k, -z.exponent) {
			return k
		}
	}
}

// Expectation returns the mean.
func (z Zipf) Expectation() float64 { return z.mean }

// integralOfPower returns the integral of t^-s from 1 to x.
func integralOfPower(x, s float64) float64 {
	if s == 1 {
		return Log(x)
	}
	return (Pow(x, 1-s) - 1) / (1 - s)
}

func inverseOfIntegral(u, s float64) float64 {
	if s == 1 {
		return Exp(u)
	}
	return Pow(1+float64((1-s)*u), 1/(1-s))
}

// sumOfPowers returns the sum of k^-s from k = low to high. Behind the first terms an
// integral has its place, which differs by less than a millionth.
func sumOfPowers(low, high, s float64) float64 {
	const terms = 10_000
	sum := 0.0
	k := low
	for ; k <= high && k < low+terms; k++ {
		sum += Pow(k, -s)
	}
	if k <= high {
		sum += integralOfPower(high+0.5, s) - integralOfPower(k-0.5, s)
	}
	return sum
}
