// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// clampedDraws is how many draws estimate a mean: a coefficient of variation of 1 gives a
// standard error below 0.8 %.
const clampedDraws = 1 << 14

// ClampedMean estimates the mean of the lengths, in tokens, after rounding and clamping to
// Min and Max, and its standard error. Equal lengths give the same bits.
func (l Lengths) ClampedMean() (mean, standardError float64) {
	return meanOf(func(s *stats.Stream) float64 { return float64(l.draw(s)) })
}

// ClampedMean is that of durations, in seconds.
func (d Durations) ClampedMean() (mean, standardError float64) {
	return meanOf(func(s *stats.Stream) float64 { return d.draw(s).Seconds() })
}

// meanOf estimates the mean of what is drawn.
func meanOf(draw func(*stats.Stream) float64) (mean, standardError float64) {
	stream := stats.NewStream(0, "workload/clamped-mean")
	sum, squares := 0.0, 0.0
	for range clampedDraws {
		x := draw(stream)
		sum += x
		squares += float64(x * x)
	}
	mean = sum / clampedDraws
	variance := max(squares/clampedDraws-float64(mean*mean), 0)
	return mean, math.Sqrt(variance / clampedDraws)
}
