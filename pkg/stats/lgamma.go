// SPDX-License-Identifier: Apache-2.0

package stats

// logRootTwoPi is ln √(2π).
const logRootTwoPi = 0.918938533204672741780329736406

// LogGamma returns the logarithm of the gamma function of x > 0, to about 1e-14 of the
// larger of 1 and its size, with the same bits on every architecture. It is NaN for other x.
func LogGamma(x float64) float64 {
	if !(x > 0) {
		return -Log(-1)
	}
	// Stirling's series needs a large x: Γ(x) = Γ(x+n) / (x·(x+1)⋯(x+n-1)).
	product := 1.0
	for x < 12 {
		product *= x
		x++
	}
	inverse := 1 / x
	square := float64(inverse * inverse)
	// B(2k) / (2k·(2k-1)), the last one first.
	series := 1. / 156
	for _, c := range [...]float64{-691. / 360360, 1. / 1188, -1. / 1680, 1. / 1260, -1. / 360, 1. / 12} {
		series = float64(series*square) + c
	}
	return float64((x-0.5)*Log(x)) - x + logRootTwoPi + float64(series*inverse) - Log(product)
}
