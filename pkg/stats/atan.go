// SPDX-License-Identifier: Apache-2.0

package stats

import "math"

// atanEighths holds the arc tangents of 0/8, 1/8, … 8/8, each as a sum of two
// numbers.
var atanEighths = [...]struct{ hi, lo float64 }{
	{0, 0},
	{0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
	{0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
	{0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
	{0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
	{0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
	{0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
	{0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
	{0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
}

// Half of π as a sum of two numbers.
const (
	halfPiHi = 0x1.921fb54442d18p+0
	halfPiLo = 0x1.1a62633145c07p-54
)

// Atan returns the arc tangent of x in radians, within 1 ulp, with the same
// bits on every architecture.
func Atan(x float64) float64 {
	switch a := math.Abs(x); {
	case !(a > 0x1p-28): // x - x³/3 rounds to x; NaN and the sign of zero stay
		return x
	case a <= 1:
		hi, lo := atanParts(a)
		return math.Copysign(hi+lo, x)
	default:
		hi, lo := atanParts(1 / a)
		return math.Copysign((halfPiHi-hi)+(halfPiLo-lo), x)
	}
}

// atanSeries is that of the arc tangent from its second term on:
// -1/3 + z/5 - z²/7 + …. With z ≤ 2^-8 what follows is below 2^-59.
var atanSeries = [...]float64{1. / 13, -1. / 11, 1. / 9, -1. / 7, 1. / 5, -1. / 3}

// atanParts returns the arc tangent of x in [0, 1] as a sum of two numbers.
// With c the nearest eighth, it is Atan(c) + Atan(t), t = (x-c)/(1+c·x).
func atanParts(x float64) (hi, lo float64) {
	eighth := math.Floor(float64(8*x) + 0.5)
	c := float64(eighth / 8) // a product by 1/8 to some compilers
	t := (x - c) / (1 + float64(c*x))
	z := float64(t * t)
	tail := float64(float64(t*z) * horner(z, atanSeries[:]))
	base := atanEighths[int(eighth)]
	if eighth == 0 {
		return t, tail
	}
	return base.hi, t + (tail + base.lo)
}
