// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"fmt"
	"math"
)

// StudentT returns the two-sided critical value: a Student-t variate of that
// many degrees of freedom lies within ± it with the probability confidence. It
// panics where confidence is not in (0, 1) or degrees is below 1.
func StudentT(confidence float64, degrees int) float64 {
	if !(confidence > 0 && confidence < 1) || degrees < 1 {
		panic(fmt.Sprintf("stats: Student t at confidence %v with %d degrees of freedom", confidence, degrees))
	}
	if degrees > 1000 {
		return studentTOfMany(confidence, float64(degrees))
	}
	low, high := 0.0, 1.0
	for studentCentre(high, degrees) < confidence {
		low, high = high, 2*high
	}
	for {
		middle := low + float64(0.5*(high-low))
		if middle <= low || middle >= high {
			return high
		}
		if studentCentre(middle, degrees) < confidence {
			low = middle
		} else {
			high = middle
		}
	}
}

// studentCentre returns the probability of [-t, t], by the finite series for
// integer degrees of freedom in θ = Atan(t/√degrees) (Abramowitz, Stegun:
// Handbook of Mathematical Functions, 26.7.3 and 26.7.4).
func studentCentre(t float64, degrees int) float64 {
	n := float64(degrees)
	hypotenuse := n + float64(t*t)
	sine := t / math.Sqrt(hypotenuse)
	cosine := math.Sqrt(n / hypotenuse)
	square := n / hypotenuse

	odd := degrees % 2
	term := sine // sin θ, or sin θ·cos θ where degrees is odd
	if odd == 1 {
		term = float64(term * cosine)
	}
	sum := 0.0
	for k := 2 + odd; k <= degrees; k += 2 {
		sum += term
		term = float64(term * float64(square*(float64(k-1)/float64(k))))
	}
	if odd == 0 {
		return sum
	}
	return float64((sum + Atan(t/math.Sqrt(n))) * (2 / math.Pi))
}

// studentTOfMany expands the critical value in powers of 1/degrees about the
// normal one (Fisher's expansion; Abramowitz, Stegun, 26.7.5). Beyond 1000
// degrees, and up to a confidence of 0.9999, what follows is below 1e-11.
func studentTOfMany(confidence, degrees float64) float64 {
	z := normalQuantile(0.5 + float64(0.5*confidence))
	z2 := float64(z * z)
	terms := [...]float64{
		z * horner(z2, []float64{79, 776, 1482, -1920, -945}) / 92160,
		z * horner(z2, []float64{3, 19, 17, -15}) / 384,
		z * horner(z2, []float64{5, 16, 3}) / 96,
		z * (z2 + 1) / 4,
		z,
	}
	return horner(1/degrees, terms[:])
}
