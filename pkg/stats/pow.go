// SPDX-License-Identifier: Apache-2.0

package stats

import "math"

// Pow returns x^y, within 1 ulp, with the same bits on every architecture.
// Special cases are those of [math.Pow].
func Pow(x, y float64) float64 {
	switch {
	case y == 0 || x == 1:
		return 1
	case x != x || y != y:
		return math.NaN()
	case math.IsInf(y, 0):
		return powToInfinity(x, y)
	case x == 0 || math.IsInf(x, 0):
		return powOfExtreme(x, y)
	case x > 0:
		return powOfPositive(x, y)
	case y != math.Floor(y):
		return math.NaN()
	case isOdd(y):
		return -powOfPositive(-x, y)
	default:
		return powOfPositive(-x, y)
	}
}

// powToInfinity returns x^±Inf.
func powToInfinity(x, y float64) float64 {
	switch a := math.Abs(x); {
	case a == 1:
		return 1
	case (a > 1) == (y > 0):
		return math.Inf(1)
	default:
		return 0
	}
}

// powOfExtreme returns (±0)^y and (±Inf)^y for finite y other than 0.
func powOfExtreme(x, y float64) float64 {
	result := 0.0
	if (x == 0) == (y < 0) {
		result = math.Inf(1)
	}
	if math.Signbit(x) && isOdd(y) {
		result = -result
	}
	return result
}

// isOdd reports whether y is an odd integer.
func isOdd(y float64) bool {
	return y == math.Floor(y) && math.Floor(0.5*y) != 0.5*y
}

// powOfPositive returns x^y for finite x > 0 and y. A relative error of the
// logarithm is multiplied by up to 745 in the result, so the logarithm is
// held in two parts.
func powOfPositive(x, y float64) float64 {
	hi, lo := logParts(x)
	power := float64(y * hi)
	switch {
	case power > expOverflow+1:
		return math.Inf(1)
	case power < expUnderflow-1:
		return 0
	}
	return expOf(power, math.FMA(y, hi, -power)+float64(y*lo))
}

// logTail is the series of atanh beyond its second term, 2·(1/5 + z/7 + …).
var logTail = [...]float64{2. / 23, 2. / 21, 2. / 19, 2. / 17, 2. / 15, 2. / 13, 2. / 11, 2. / 9, 2. / 7, 2. / 5}

// logParts returns the logarithm of a finite x > 0 as a sum of two numbers,
// to about 65 bits. math.FMA is exact by definition on every architecture, as
// opposed to what a compiler fuses of its own accord.
func logParts(x float64) (hi, lo float64) {
	m, k := splitNearOne(x)

	// s = f/(2+f), where 2+f may not fit one number.
	f := m - 1
	d := 2 + f
	dLo := f - (d - 2)
	s := f / d
	sLo := (math.FMA(-s, d, f) - float64(s*dLo)) / d

	// log m = 2s + s·z·(2/3 + z·tail(z)), z = s².
	z := float64(s * s)
	zLo := math.FMA(s, s, -z) + float64(2*float64(s*sLo))
	c, cLo := addParts(0x1.5555555555555p-1, 0x1.5555555555555p-55, float64(z*horner(z, logTail[:])), 0)
	c, cLo = mulParts(c, cLo, z, zLo)
	c, cLo = mulParts(c, cLo, s, sLo)
	hi, lo = addParts(2*s, 2*sLo, c, cLo)
	return addParts(float64(k*ln2Hi), float64(k*ln2Lo), hi, lo)
}

// addParts returns (a + aLo) + (b + bLo).
func addParts(a, aLo, b, bLo float64) (hi, lo float64) {
	sum := a + b
	v := sum - a
	lost := (a - (sum - v)) + (b - v)
	lost += aLo + bLo
	hi = sum + lost
	return hi, lost - (hi - sum)
}

// mulParts returns (a + aLo) · (b + bLo).
func mulParts(a, aLo, b, bLo float64) (hi, lo float64) {
	product := float64(a * b)
	lost := math.FMA(a, b, -product) + (float64(a*bLo) + float64(aLo*b))
	hi = product + lost
	return hi, lost - (hi - product)
}
