// SPDX-License-Identifier: Apache-2.0

package query

import "time"

// extrapolated returns how much a series grew in a window, or per second of it. The first and
// the last point are seldom at its bounds: where a bound is no further from its point than the
// points are from each other, the growth goes on to the bound, and half a distance beyond the
// point otherwise. A counter does not go below 0 on the way back.
func extrapolated(points []point, window time.Duration, counter, perSecond bool) (float64, bool) {
	if len(points) < 2 {
		return 0, false
	}
	first, last := points[0], points[len(points)-1]
	growth := last.value - first.value
	if counter {
		growth += lostByResets(points)
	}
	covered := seconds(last.at - first.at)
	between := covered / float64(len(points)-1)
	near := between * 1.1
	toStart, toEnd := seconds(first.at), seconds(window-last.at)
	if toStart >= near {
		toStart = between / 2
	}
	if counter && growth > 0 && first.value >= 0 {
		toStart = min(toStart, covered*(first.value/growth))
	}
	if toEnd >= near {
		toEnd = between / 2
	}
	factor := (covered + toStart + toEnd) / covered
	if perSecond {
		factor /= seconds(window)
	}
	return growth * factor, true
}

// lostByResets sums the values before each reset of a counter. Prometheus sees a reset where
// the value falls, and nowhere else.
func lostByResets(points []point) float64 {
	sum := 0.0
	for i := 1; i < len(points); i++ {
		if points[i].value < points[i-1].value {
			sum += points[i-1].value
		}
	}
	return sum
}

// instantRate returns the growth per second between the last two points.
func instantRate(points []point, _ time.Duration, _ float64) (float64, bool) {
	n := len(points)
	if n < 2 {
		return 0, false
	}
	before, last := points[n-2], points[n-1]
	growth := last.value
	if last.value >= before.value {
		growth -= before.value
	}
	return growth / seconds(last.at-before.at), true
}
