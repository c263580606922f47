// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"math"
	"testing"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// matrix is one of 2 rows and 2 columns.
type matrix [2][2]float64

func (a matrix) times(b matrix) (c matrix) {
	for i := range 2 {
		for j := range 2 {
			c[i][j] = a[i][0]*b[0][j] + a[i][1]*b[1][j]
		}
	}
	return c
}

func (a matrix) plus(b matrix) matrix {
	for i := range 2 {
		for j := range 2 {
			a[i][j] += b[i][j]
		}
	}
	return a
}

func (a matrix) transposed() matrix { return matrix{{a[0][0], a[1][0]}, {a[0][1], a[1][1]}} }

// The filter is that of the textbook, in matrices and in the form of Joseph.
func TestKalmanIsTheTextbooks(t *testing.T) {
	k, s := kalman{qLevel: 1, qTrend: 0.1, r: 10}, stats.NewStream(1, "values")
	if _, ok := k.ahead(1); ok {
		t.Error("a forecast before the first value")
	}
	forward, noise := matrix{{1, 1}, {0, 1}}, matrix{{1, 0}, {0, 0.1}}
	level, trend, p := 0.0, 0.0, matrix{{1000, 0}, {0, 1000}}
	for i := range 200 {
		value := 100 + 3*float64(i) + 20*s.Float64()
		if k.observe(value); i == 0 {
			level = value
		} else {
			level += trend
			p = forward.times(p).times(forward.transposed()).plus(noise)
			gain := [2]float64{p[0][0] / (p[0][0] + 10), p[1][0] / (p[0][0] + 10)}
			off := value - level
			level, trend = level+gain[0]*off, trend+gain[1]*off
			keep := matrix{{1 - gain[0], 0}, {-gain[1], 1}}
			p = keep.times(p).times(keep.transposed()).plus(matrix{
				{10 * gain[0] * gain[0], 10 * gain[0] * gain[1]}, {10 * gain[1] * gain[0], 10 * gain[1] * gain[1]},
			})
		}
		for steps := range 3 {
			got, ok := k.ahead(steps)
			if want := level + float64(steps)*trend; !ok || math.Abs(got-want) > 1e-6*want {
				t.Fatalf("after %d values: %g in %d steps, want %g", i+1, got, steps, want)
			}
		}
	}
}

// A level cannot fall below nothing.
func TestKalmanForecastsNothingNegative(t *testing.T) {
	k := kalman{qLevel: 1, qTrend: 0.1, r: 10}
	for value := 100.0; value >= 0; value -= 20 {
		k.observe(value)
	}
	if got, _ := k.ahead(5); got != 0 {
		t.Errorf("%g", got)
	}
}
