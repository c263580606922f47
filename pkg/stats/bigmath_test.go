// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"math"
	"math/big"
)

// The oracle of the portable functions: the same functions by plain series in
// 256-bit floats.

const oracleBits = 256

func bigOf(x float64) *big.Float { return new(big.Float).SetPrec(oracleBits).SetFloat64(x) }

func newBig() *big.Float { return new(big.Float).SetPrec(oracleBits) }

// bigExp sums the series for x/2^16 and squares the result sixteen times.
func bigExp(x *big.Float) *big.Float {
	const halvings = 16
	r := newBig().SetMantExp(x, -halvings)
	sum, term := bigOf(1), bigOf(1)
	for n := 1; n < 60; n++ {
		term.Mul(term, r)
		term.Quo(term, bigOf(float64(n)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// bigLog improves an estimate by Halley's iteration on e^y = x.
func bigLog(x *big.Float) *big.Float {
	mantissa := newBig()
	exponent := x.MantExp(mantissa)
	m, _ := mantissa.Float64()
	y := bigOf(math.Log(m) + float64(exponent)*math.Ln2)
	for range 4 {
		e := bigExp(y)
		step := newBig().Quo(newBig().Sub(x, e), newBig().Add(x, e))
		y.Add(y, step.Mul(step, bigOf(2)))
	}
	return y
}

// bigLog1p takes two terms of the series where 1+x would drown x.
func bigLog1p(x *big.Float) *big.Float {
	if x.MantExp(nil) > -60 {
		return bigLog(newBig().Add(bigOf(1), x))
	}
	half := newBig().Mul(x, x)
	return newBig().Sub(x, half.SetMantExp(half, -1))
}

// bigAtan halves the angle until the series converges fast.
func bigAtan(x *big.Float) *big.Float {
	const halvings = 12
	t := newBig().Set(x)
	for range halvings {
		root := newBig().Mul(t, t)
		root.Sqrt(root.Add(root, bigOf(1)))
		t.Quo(t, root.Add(root, bigOf(1)))
	}
	square := newBig().Mul(t, t)
	sum, power := newBig(), newBig().Set(t)
	for n := 1; n < 60; n += 2 {
		sum.Add(sum, newBig().Quo(power, bigOf(float64(n))))
		power.Mul(power, square).Neg(power)
	}
	return sum.SetMantExp(sum, halvings)
}

func bigPow(x, y *big.Float) *big.Float {
	return bigExp(newBig().Mul(y, bigLog(x)))
}

// ulpError is the distance of got from the exact value, in units of the last
// place of got.
func ulpError(got float64, exact *big.Float) float64 {
	if rounded, _ := exact.Float64(); math.IsInf(got, 0) || math.IsInf(rounded, 0) {
		if got == rounded {
			return 0
		}
		return math.Inf(1)
	}
	size := math.Abs(got)
	ulp := bigOf(math.Nextafter(size, math.Inf(1)))
	ulp.Sub(ulp, bigOf(size))
	diff := newBig().Sub(bigOf(got), exact)
	ratio, _ := diff.Abs(diff).Quo(diff, ulp).Float64()
	return ratio
}
