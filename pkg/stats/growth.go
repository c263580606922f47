// SPDX-License-Identifier: Apache-2.0

package stats

import "math"

// Growth returns by how much a level that was read at even intervals, such as a
// backlog of requests, grows from one reading to the next, and the p-value of
// its growing. It takes at least 40 readings; of fewer p is 1.
//
// The series is averaged in 20 batches and the differences of neighbours are
// tested by Student's t against 0. A straight line fitted to the readings, or to
// the batches, would not do: the level of a busy queue remembers for long, and a
// line tells a growing one from it far too often. Differences err to the safe
// side. In a level that returns to its mean they cancel out. Where arrivals and
// departures just balance, so that the level is a random walk, neighbouring
// differences of means correlate by 1/4 (Working: Note on the Correlation of
// First Differences of Averages in a Random Chain, Econometrica 28, 1960), which
// raises the variance of their mean by half, and the test allows for that.
func Growth(level []float64) (perStep, p float64) {
	const batches, inflation = 20, 1.5
	size := len(level) / batches
	if size < 2 {
		return 0, 1
	}
	rest := level[len(level)-size*batches:]
	means := make([]float64, batches)
	for i := range means {
		means[i] = meanOf(rest[i*size : (i+1)*size])
	}
	mean, stdDev := moments(Differences(means[1:], means[:batches-1]))
	standardError := stdDev * math.Sqrt(inflation/(batches-1))
	return mean / float64(size), studentP(mean, standardError, batches-2)
}
