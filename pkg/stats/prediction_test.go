// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"math"
	"testing"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// TestPredictionsHoldOneMore draws a few numbers and one more, many times.
func TestPredictionsHoldOneMore(t *testing.T) {
	const draws = 20_000
	for _, n := range []int{2, 3, 5, 20} {
		s := stats.NewStream(1, "prediction")
		normal := stats.Normal{Mean: 7, StdDev: 3}
		inside, rejected := 0, 0
		for range draws {
			xs := make([]float64, n)
			for i := range xs {
				xs[i] = normal.Sample(s)
			}
			x := normal.Sample(s)
			of := stats.Prediction(xs, 0.95)
			if of.Low <= x && x <= of.High {
				inside++
			}
			if stats.PredictionP(xs, x, 0) <= 0.05 {
				rejected++
			}
		}
		if share := float64(inside) / draws; math.Abs(share-0.95) > 0.005 {
			t.Errorf("%d numbers: %.4f of the intervals hold one more, want 0.95", n, share)
		}
		if inside+rejected != draws {
			t.Errorf("%d numbers: %d are inside and %d are rejected, of %d", n, inside, rejected, draws)
		}
	}
}

func TestPredictionsOfLittle(t *testing.T) {
	for name, tc := range map[string]struct {
		xs                []float64
		number, tolerance float64
		want              float64
	}{
		"nothing is known":                      {nil, 3, 0, 1},
		"one number shows no spread":            {[]float64{1}, 3, 0, 1},
		"equal numbers and another":             {[]float64{2, 2, 2}, 2.1, 0, 0},
		"equal numbers and the same":            {[]float64{2, 2, 2}, 2, 0, 1},
		"equal numbers and one that is as good": {[]float64{2, 2, 2}, 2.1, 0.2, 1},
	} {
		if got := stats.PredictionP(tc.xs, tc.number, tc.tolerance); got != tc.want {
			t.Errorf("%s: p = %v, want %v", name, got, tc.want)
		}
	}
}
