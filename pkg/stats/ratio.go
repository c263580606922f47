// SPDX-License-Identifier: Apache-2.0

package stats

import "math"

// PairedRatioBounds returns what the ratio of a's mean to b's is above, and
// what it is below, each with that confidence; both at once hold with
// 2·confidence - 1. a[i] and b[i] met the same random numbers, which narrows
// the bounds as it does those of [PairedDifference]. Equal numbers are exactly
// 1 apart.
//
// The bounds are Fieller's (Some Problems in Interval Estimation, JRSS B 16,
// 1954): the ratios ρ for which a[i] - ρ·b[i] does not differ from 0 by the
// t-test. They are -Inf and +Inf of fewer than two pairs and where b's mean
// itself does not differ from 0. It panics where the lengths differ or
// confidence is not in (0.5, 1).
func PairedRatioBounds(a, b []float64, confidence float64) (low, high float64) {
	n := len(a)
	mustPair(a, b)
	critical := oneSidedT(confidence, max(n-1, 1))
	if n < 2 {
		return math.Inf(-1), math.Inf(1)
	}
	meanA, _ := moments(a)
	meanB, stdDevB := moments(b)
	margin := float64(critical * (stdDevB / math.Sqrt(float64(n))))
	leading := float64((math.Abs(meanB) - margin) * (math.Abs(meanB) + margin))
	if !(leading > 0) {
		return math.Inf(-1), math.Inf(1)
	}
	// In δ = ρ - ratio the limits solve leading·δ² + 2·cross·δ - spread = 0,
	// of the residuals a[i] - ratio·b[i], whose mean is 0.
	ratio := meanA / meanB
	squares, products := 0.0, 0.0
	for i := range a {
		residual := (a[i] - meanA) - float64(ratio*(b[i]-meanB))
		squares += float64(residual * residual)
		products += float64(residual * (b[i] - meanB))
	}
	k := float64(critical*critical) / float64(float64(n)*float64(n-1))
	cross, spread := float64(k*products), float64(k*squares)
	root := math.Sqrt(float64(cross*cross) + float64(leading*spread))
	return ratio - (root+cross)/leading, ratio + (root-cross)/leading
}
