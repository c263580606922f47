// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"math"
	"testing"

	"windtunnel.dev/windtunnel/pkg/stats"
)

func TestSeedsFor(t *testing.T) {
	tests := map[string]struct {
		numbers    []float64
		relative   float64
		confidence float64
		most, want int
	}{
		"spread of a tenth, 5 %":      {[]float64{9, 10, 11}, 0.05, 0.95, 1000, 18},
		"spread of a tenth, 1 %":      {[]float64{9, 10, 11}, 0.01, 0.95, 1000, 387},
		"more confidence":             {[]float64{9, 10, 11}, 0.05, 0.99, 1000, 31},
		"the most is not enough":      {[]float64{9, 10, 11}, 0.01, 0.95, 100, 100},
		"already precise":             {[]float64{100, 100.01, 99.99}, 0.05, 0.95, 100, 2},
		"equal numbers":               {[]float64{3, 3}, 0.001, 0.95, 100, 2},
		"a mean below 0":              {[]float64{-9, -10, -11}, 0.05, 0.95, 1000, 18},
		"a mean of 0":                 {[]float64{-1, 1}, 0.05, 0.95, 40, 40},
		"zeros":                       {[]float64{0, 0}, 0.05, 0.95, 40, 2},
		"one number tells no spread":  {[]float64{5}, 0.05, 0.95, 40, 2},
		"nothing":                     {nil, 0.05, 0.95, 40, 2},
		"no more than one is allowed": {[]float64{5, 6}, 0.05, 0.95, 1, 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := stats.SeedsFor(tc.numbers, tc.relative, tc.confidence, tc.most); got != tc.want {
				t.Errorf("%d seeds, want %d", got, tc.want)
			}
		})
	}
}

// The oracle goes up one by one.
func FuzzSeedsForIsTheFewest(f *testing.F) {
	f.Add(9.0, 10.0, 12.0, 0.05)
	f.Fuzz(func(t *testing.T, a, b, c, relative float64) {
		if !(math.Abs(a)+math.Abs(b)+math.Abs(c) < 1e100) || !(relative > 0) {
			return
		}
		const most = 60
		numbers := []float64{a, b, c}
		interval := stats.MeanInterval(numbers, 0.9)
		want := most
		for n := 2; n < most; n++ {
			if stats.StudentT(0.9, n-1)*(interval.StdDev/math.Sqrt(float64(n))) <= relative*math.Abs(interval.Mean) {
				want = n
				break
			}
		}
		if got := stats.SeedsFor(numbers, relative, 0.9, most); got != want {
			t.Errorf("%d seeds, want %d", got, want)
		}
	})
}
