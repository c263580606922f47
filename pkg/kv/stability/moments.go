// SPDX-License-Identifier: Apache-2.0

package stability

import (
	"math"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// moments are the mean and the variance of observations that count less the
// older they are. They do not change while nothing is observed. The recurrence
// is West's (Updating mean and variance estimates, CACM 22, 1979), with all
// weights scaled down as time goes by.
type moments struct {
	decay
	mean float64
	// weight is the sum of the weights.
	weight float64
	// perSample is the sum of the squared weights over weight: the weight of
	// an observation, averaged by weight. weight/perSample observations of
	// equal weight would say as much.
	perSample float64
	// squares is the weighted sum of the squared distances from the mean.
	squares float64
}

func newMoments(window time.Duration, start simtime.Time) moments {
	return moments{decay: decay{window: window, last: start}}
}

// add takes in one value that stands for count observations.
func (m *moments) add(at simtime.Time, value, count float64) {
	keep, weight := m.admit(at)
	weight = float64(weight * count)
	m.weight = float64(m.weight * keep)
	m.perSample = float64(m.perSample * keep)
	m.squares = float64(m.squares * keep)
	total := m.weight + weight
	if total <= 0 {
		return // so old that it counts nothing
	}
	m.perSample = (float64(m.perSample*m.weight) + float64(weight*weight)/count) / total
	distance := value - m.mean
	m.mean += float64(distance * (weight / total))
	m.squares += float64(weight * distance * (value - m.mean))
	m.weight = total
}

// samples is how many observations of equal weight say as much.
func (m *moments) samples() float64 {
	if m.perSample <= 0 {
		return 0
	}
	return m.weight / m.perSample
}

// variance is that of the observations' law, without bias: with equal weights
// it is squares/(n-1). It is 0 where there are fewer than two.
func (m *moments) variance() float64 {
	if m.samples() <= 1 {
		return 0
	}
	return m.squares / (m.weight - m.perSample)
}

// relativeError is the standard error of the mean over the mean; 0 where the
// mean is 0.
func (m *moments) relativeError() float64 {
	if m.mean == 0 || m.samples() <= 1 {
		return 0
	}
	return math.Sqrt(m.variance()/m.samples()) / m.mean
}
