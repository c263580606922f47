// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"fmt"
	"math"
)

// StudentTail returns the probability that a Student-t variate of that many
// degrees of freedom is t or more, with a relative error of about 1e-13 however
// far out t is. It panics where degrees is below 1.
func StudentTail(t float64, degrees int) float64 {
	switch {
	case degrees < 1:
		panic(fmt.Sprintf("stats: tail of Student t with %d degrees of freedom", degrees))
	case t != t:
		return t
	case t < 0:
		return 1 - studentUpperTail(-t, float64(degrees))
	}
	return studentUpperTail(t, float64(degrees))
}

// studentUpperTail is that of t ≥ 0: half of I_x(n/2, 1/2) with x = n/(n+t²)
// (Abramowitz, Stegun, 26.7.1).
func studentUpperTail(t, n float64) float64 {
	square := float64(t * t)
	if math.IsInf(square, 1) {
		return farStudentTail(t, n)
	}
	a := 0.5 * n
	x, rest := n/(n+square), square/(n+square)
	// x^a·(1-x)^½ / B(a, ½), by the logarithm of 1+t²/n, since x is near 1.
	front := float64(Exp(-float64(a*Log1p(square/n)))*math.Sqrt(rest)) / betaOfHalf(n)
	if x < (a+1)/(a+2.5) {
		return float64(0.5*front) * betaFraction(x, a, 0.5) / a
	}
	return 0.5 - float64(front*betaFraction(rest, 0.5, a))
}

// farStudentTail is the leading term where the square of t overflows; it is 0
// but for a few degrees of freedom.
func farStudentTail(t, n float64) float64 {
	return float64(0.5*Pow(math.Sqrt(n)/t, n)) / (0.5 * n * betaOfHalf(n))
}

// betaOfHalf returns the beta function B(n/2, 1/2) for an integer n.
func betaOfHalf(n float64) float64 {
	if n > 1000 {
		// √π·Γ(a)/Γ(a+½), whose expansion in 1/a (Tricomi, Erdélyi 1951) is
		// beyond these terms below 1e-16.
		a := 0.5 * n
		return math.Sqrt(math.Pi/a) * horner(1/a, []float64{-21. / 32768, -5. / 1024, 1. / 128, 1. / 8, 1})
	}
	value, k := 2.0, 2.0
	if math.Mod(n, 2) == 1 {
		value, k = math.Pi, 1
	}
	for ; k < n; k += 2 {
		value = float64(value * (k / (k + 1)))
	}
	return value
}
