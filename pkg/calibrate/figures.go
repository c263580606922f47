// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"math"
	"slices"
)

// Metric is one of the three times of a request.
type Metric int

// The metrics.
const (
	TTFT Metric = iota
	TPOT
	E2E

	// Metrics is how many there are.
	Metrics
)

// String returns the metric's usual name.
func (m Metric) String() string { return [Metrics]string{"TTFT", "TPOT", "E2E"}[m] }

// Of returns the metric of one request, in seconds.
func (m Metric) Of(t Times) float64 { return [Metrics]float64{t.TTFT, t.TPOT, t.E2E}[m] }

// Statistic is what a metric is reduced to.
type Statistic int

// The statistics.
const (
	Mean Statistic = iota
	P50
	P90
	P95
	P99

	// Statistics is how many there are.
	Statistics
)

// String returns the statistic's usual name.
func (s Statistic) String() string { return [Statistics]string{"mean", "p50", "p90", "p95", "p99"}[s] }

// Figures holds every statistic of every metric, in seconds.
type Figures [Metrics][Statistics]float64

// FiguresOf reduces the times of requests. Percentiles are interpolated
// linearly between the two nearest ranks. Requests without a TPOT do not count
// in it; where none has one it is NaN.
func FiguresOf(all []Times) Figures {
	var f Figures
	values := make([]float64, 0, len(all))
	for m := range Metrics {
		values = values[:0]
		for _, t := range all {
			if v := m.Of(t); !math.IsNaN(v) {
				values = append(values, v)
			}
		}
		slices.Sort(values)
		f[m] = [Statistics]float64{
			mean(values), quantile(values, 0.5), quantile(values, 0.9), quantile(values, 0.95), quantile(values, 0.99),
		}
	}
	return f
}

// meanFigures averages the figures of replays.
func meanFigures(replays []Figures) Figures {
	var f Figures
	for m := range f {
		for s := range f[m] {
			sum := 0.0
			for i := range replays {
				sum += replays[i][m][s]
			}
			f[m][s] = sum / float64(len(replays))
		}
	}
	return f
}

// deviation returns the standard deviation of each figure over replays.
func deviation(replays []Figures, mean Figures) Figures {
	var f Figures
	for m := range f {
		for s := range f[m] {
			sum := 0.0
			for i := range replays {
				d := replays[i][m][s] - mean[m][s]
				sum += float64(d * d)
			}
			f[m][s] = math.Sqrt(sum / float64(max(len(replays)-1, 1)))
		}
	}
	return f
}

// Errors returns (predicted − measured) ÷ measured of each figure.
func Errors(predicted, measured Figures) Figures {
	var f Figures
	for m := range f {
		for s := range f[m] {
			f[m][s] = (predicted[m][s] - measured[m][s]) / measured[m][s]
		}
	}
	return f
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// quantile interpolates in sorted values.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	at := float64(q * float64(len(values)-1))
	low := int(math.Floor(at))
	high := min(low+1, len(values)-1)
	return values[low] + float64((at-float64(low))*(values[high]-values[low]))
}
