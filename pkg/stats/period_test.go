// SPDX-License-Identifier: Apache-2.0

package stats

import "testing"

// repeated is a series that repeats some values, n in all.
func repeated(n int, values ...float64) []float64 {
	series := make([]float64, n)
	for i := range series {
		series[i] = values[i%len(values)]
	}
	return series
}

func TestDominantPeriod(t *testing.T) {
	noise := make([]float64, 300)
	ramp := make([]float64, 300)
	noisy := repeated(300, 1, 1, 1, 2, 3, 3, 2)
	s := NewStream(1, "period")
	for i := range noise {
		noise[i] = s.Normal()
		ramp[i] = float64(i)
		noisy[i] += noise[i] / 4
	}
	for name, tc := range map[string]struct {
		series []float64
		want   int // 0 is none
	}{
		"no value":                     {nil, 0},
		"one value":                    {[]float64{1}, 0},
		"a constant":                   {repeated(100, 1.5), 0},
		"two values in turn":           {repeated(100, 1, 2), 2},
		"a cycle of five":              {repeated(100, 1, 1.5, 2, 2, 1), 5},
		"a cycle with noise":           {noisy, 7},
		"a cycle longer than the half": {repeated(20, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2), 0},
		"a straight line":              {ramp, 0},
		"white noise":                  {noise, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := DominantPeriod(tc.series)
			if got != tc.want || ok != (tc.want > 0) {
				t.Errorf("%d (%t), want %d", got, ok, tc.want)
			}
		})
	}
}
