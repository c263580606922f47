// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// slowMSER5 looks at each truncation by itself.
func slowMSER5(series []float64) (int, bool) {
	var batches []float64
	for ; len(series) >= 5; series = series[5:] {
		batches = append(batches, (series[0]+series[1]+series[2]+series[3]+series[4])/5)
	}
	if len(batches) < 10 {
		return 0, false
	}
	best, least := 0, math.Inf(1)
	for from := 0; from+5 <= len(batches); from++ {
		rest := batches[from:]
		in := stats.MeanInterval(rest, 0.95)
		n := float64(len(rest))
		if e := in.StdDev * in.StdDev * (n - 1) / (n * n); e < least {
			best, least = from, e
		}
	}
	if best > len(batches)/2 {
		return 0, false
	}
	return 5 * best, true
}

func TestMSER5(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	noise := func(n int, level func(i int) float64) []float64 {
		series := make([]float64, n)
		for i := range series {
			series[i] = level(i) + r.NormFloat64()
		}
		return series
	}
	tests := map[string]struct {
		series      []float64
		least, most int
		ok          bool
	}{
		"nothing":                              {nil, 0, 0, false},
		"too short to tell":                    {make([]float64, 49), 0, 0, false},
		"constant":                             {slices.Repeat([]float64{0.1}, 50), 0, 0, true},
		"steady from the start":                {noise(2000, func(int) float64 { return 10 }), 0, 100, true},
		"high at first":                        {noise(2000, func(i int) float64 { return 10 + 20*math.Exp(-float64(i)/100) }), 150, 600, true},
		"low at first":                         {noise(2000, func(i int) float64 { return 10 - 20*math.Exp(-float64(i)/100) }), 150, 600, true},
		"a step at a quarter":                  {noise(1000, func(i int) float64 { return 10 * math.Floor(min(1, float64(i)/250)) }), 250, 255, true},
		"a step in the second half":            {noise(1000, func(i int) float64 { return 10 * math.Floor(min(1, float64(i)/750)) }), 0, 0, false},
		"growing to the end":                   {noise(1000, func(i int) float64 { return float64(i) }), 0, 0, false},
		"the last few that agree do not count": {append(noise(1000, func(int) float64 { return 0 }), slices.Repeat([]float64{0}, 20)...), 0, 100, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, ok := stats.MSER5(tc.series)
			if ok != tc.ok || got < tc.least || got > tc.most || got%5 != 0 {
				t.Errorf("warm-up %d, %v, want %d to %d, %v", got, ok, tc.least, tc.most, tc.ok)
			}
			if want, wantOK := slowMSER5(tc.series); got != want || ok != wantOK {
				t.Errorf("warm-up %d, %v, looked at one by one %d, %v", got, ok, want, wantOK)
			}
		})
	}
}

func TestMSER5RemovesMostOfTheBiasOfTheStart(t *testing.T) {
	s := stats.NewStream(1, "mser")
	const rounds, load, readings, start = 200, 0.8, 2000, 60
	var whole, rest float64
	for range rounds {
		series := queueLevels(s, load, readings)
		for i := range series { // a burst at the start, that drains
			series[i] += max(0, start-float64(i)*(1-load))
		}
		warmUp, _ := stats.MSER5(series)
		whole += stats.MeanInterval(series, 0.95).Mean / rounds
		rest += stats.MeanInterval(series[warmUp:], 0.95).Mean / rounds
	}
	const steady = load / (1 - load)
	if whole-steady < 4 || math.Abs(rest-steady) > 0.3*(whole-steady) {
		t.Errorf("mean level %v with and %v without the warm-up, want %v", whole, rest, steady)
	}
}

func FuzzMSER5IgnoresSignAndScale(f *testing.F) {
	f.Add([]byte("0123456789 what a series of bytes may be, and so on to the end of it"))
	f.Fuzz(func(t *testing.T, data []byte) {
		series, mirrored := make([]float64, len(data)), make([]float64, len(data))
		for i, b := range data {
			series[i] = float64(b)
			mirrored[i] = -2 * float64(b)
		}
		got, ok := stats.MSER5(series)
		if got < 0 || got > len(data)/2 || got%5 != 0 {
			t.Errorf("warm-up %d of %d numbers", got, len(data))
		}
		if other, otherOK := stats.MSER5(mirrored); ok != otherOK || got != other {
			t.Errorf("warm-up %d, %v, of the mirrored series %d, %v", got, ok, other, otherOK)
		}
	})
}
