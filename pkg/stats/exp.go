// SPDX-License-Identifier: Apache-2.0

package stats

import "math"

// Beyond these Exp is +Inf and 0.
const (
	expOverflow  = 709.782712893384
	expUnderflow = -745.1332191019412
)

// Exp returns e^x, within 1 ulp, with the same bits on every architecture.
func Exp(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > expOverflow:
		return math.Inf(1)
	case x < expUnderflow:
		return 0
	}
	return expOf(x, 0)
}

// The series of e^r from its second power on: (1/2! + r²/4! + …) and
// (1/3! + r²/5! + …). With |r| ≤ 0.35 what follows is below 2^-57.
var (
	expEven = [...]float64{1. / 479001600, 1. / 3628800, 1. / 40320, 1. / 720, 1. / 24, 1. / 2}
	expOdd  = [...]float64{1. / 6227020800, 1. / 39916800, 1. / 362880, 1. / 5040, 1. / 120, 1. / 6}
)

// expOf returns e^(hi+lo) where hi is between the bounds of Exp and lo is a
// correction, at most about 2^-43.
func expOf(hi, lo float64) float64 {
	const log2E = 0x1.71547652b82fep+0
	k := math.Floor(float64(hi*log2E) + 0.5)
	upper := hi - float64(k*ln2Hi)
	lower := lo - float64(k*ln2Lo)
	r := upper + lower
	lost := (upper - r) + lower // what rounding took from r

	z := float64(r * r)
	even := float64(z * horner(z, expEven[:]))
	odd := float64(float64(z*r) * horner(z, expOdd[:]))
	y := 1 + (r + (even + (odd + lost)))
	// Two factors, since 2^k alone may be out of range.
	half := math.Floor(0.5 * k)
	return float64(y * powerOfTwo(half) * powerOfTwo(k-half))
}

// powerOfTwo returns 2^k for an integer k in [-1022, 1023].
func powerOfTwo(k float64) float64 {
	return math.Float64frombits(uint64(1023+int64(k)) << 52)
}
