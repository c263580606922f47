// SPDX-License-Identifier: Apache-2.0

package stats

import "math"

// Spearman returns Spearman's rank correlation of x[i] and y[i], in [-1, 1]:
// the correlation of their ranks, equal numbers sharing a mean rank. It is not
// defined, and ok is false, where all of x or all of y are equal. It panics
// where the lengths differ.
func Spearman(x, y []float64) (rho float64, ok bool) {
	mustPair(x, y)
	ranksX, _ := Midranks(x)
	ranksY, _ := Midranks(y)
	middle := len(x) + 1 // of doubled ranks
	var products, squaresX, squaresY float64
	for i := range ranksX {
		dx, dy := float64(ranksX[i]-middle), float64(ranksY[i]-middle)
		products += float64(dx * dy)
		squaresX += float64(dx * dx)
		squaresY += float64(dy * dy)
	}
	if squaresX == 0 || squaresY == 0 {
		return 0, false
	}
	return max(-1, min(1, products/math.Sqrt(float64(squaresX*squaresY)))), true
}
