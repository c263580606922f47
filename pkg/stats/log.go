// SPDX-License-Identifier: Apache-2.0

package stats

import "math"

// ln2 in two parts. The upper one has 32 bits, so that its product with the
// exponent of any float64 is exact.
const (
	ln2Hi = 0x1.62e42fee00000p-1
	ln2Lo = 0x1.a39ef35793c76p-33
)

// Log returns the natural logarithm of x, within 1 ulp, with the same bits on
// every architecture. Log(0) is -Inf; below 0 it is NaN.
func Log(x float64) float64 {
	switch {
	case !(x > 0):
		return logOfNonPositive(x)
	case x > math.MaxFloat64:
		return x
	}
	m, k := splitNearOne(x)
	return logOf(m-1, k, 0)
}

// Log1p returns the natural logarithm of 1+x, within 1 ulp for small x too,
// with the same bits on every architecture.
func Log1p(x float64) float64 {
	switch {
	case !(x > -1):
		return logOfNonPositive(x + 1)
	case math.Abs(x) < 0x1p-54:
		return x
	case -0.25 < x && x < 0.375:
		return logOf(x, 0, 0)
	case x > 0x1p53:
		return Log(x)
	}
	u := 1 + x
	lost := x - (u - 1) // what rounding took from u
	if x > 1 {
		lost = 1 - (u - x)
	}
	m, k := splitNearOne(u)
	return logOf(m-1, k, lost/u)
}

func logOfNonPositive(x float64) float64 {
	if x == 0 {
		return math.Inf(-1)
	}
	return math.NaN()
}

// splitNearOne returns m in [√½, √2) and k with x = m·2^k, for finite x > 0.
func splitNearOne(x float64) (m, k float64) {
	const (
		mantissaBits = 52
		smallest     = 0x1p-1022 // the smallest normal number
		rootHalf     = 0x3fe6a09e667f3bcd
	)
	if x < smallest {
		m, k = splitNearOne(x * 0x1p54)
		return m, k - 54
	}
	// As integers the bits of floats are ordered like the floats, so the
	// distance from √½ counts whole octaves above it.
	b := math.Float64bits(x)
	octaves := int64(b-rootHalf) >> mantissaBits
	return math.Float64frombits(b - uint64(octaves)<<mantissaBits), float64(octaves)
}

// The series of atanh without its first term, 2·(1/3 + z/5 + z²/7 + …), in
// even and odd powers of z. With z ≤ 0.0295 what follows is below 2^-60.
var (
	logEven = [...]float64{2. / 19, 2. / 15, 2. / 11, 2. / 7, 2. / 3}
	logOdd  = [...]float64{2. / 21, 2. / 17, 2. / 13, 2. / 9, 2. / 5}
)

// logOf returns log(1+f) + k·ln 2 + extra, for 1+f near [√½, √2] and a small
// extra. With s = f/(2+f), log(1+f) = 2·atanh(s), and as 2s = f - s·f the
// leading term is f itself, which carries no rounding error.
func logOf(f, k, extra float64) float64 {
	s := f / (2 + f)
	z := float64(s * s)
	w := float64(z * z)
	r := float64(z * (horner5(w, &logEven) + float64(z*horner5(w, &logOdd))))
	half := float64(0.5 * float64(f*f))
	low := float64(s*(half+r)) + (float64(k*ln2Lo) + extra)
	return float64(k*ln2Hi) - ((half - low) - f)
}

// horner evaluates the polynomial in x with these coefficients, the highest
// power first.
func horner(x float64, coefficients []float64) float64 {
	sum := 0.0
	for _, c := range coefficients {
		sum = float64(sum*x) + c
	}
	return sum
}

// horner5 is horner for five coefficients, without a loop, for finite x.
func horner5(x float64, c *[5]float64) float64 {
	sum := float64(c[0]*x) + c[1]
	sum = float64(sum*x) + c[2]
	sum = float64(sum*x) + c[3]
	return float64(sum*x) + c[4]
}
