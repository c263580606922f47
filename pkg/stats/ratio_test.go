// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"math"
	"testing"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// pairedRelativeP is the p-value for a's mean being above (1+relative) times b's:
// the t-test of a[i] - (1+relative)·b[i] against 0.
func pairedRelativeP(a, b []float64, relative float64) float64 {
	scaled := make([]float64, len(b))
	for i := range b {
		scaled[i] = b[i] + float64(relative*b[i])
	}
	return stats.PairedAboveP(a, scaled)
}

func TestRatioBoundsAreWhereTheRelativeTestTurns(t *testing.T) {
	a := []float64{10.1, 20.5, 14.8, 40.2, 31.1}
	b := []float64{10.0, 20.1, 15.2, 38.9, 30.2}
	for _, confidence := range []float64{0.6, 0.9, 0.95} {
		low, high := stats.PairedRatioBounds(a, b, confidence)
		if p := pairedRelativeP(a, b, low-1); math.Abs(p-(1-confidence)) > 1e-10 {
			t.Errorf("confidence %v: p of being above %v is %v", confidence, low, p)
		}
		if p := pairedRelativeP(a, b, high-1); math.Abs(p-confidence) > 1e-10 {
			t.Errorf("confidence %v: p of being above %v is %v", confidence, high, p)
		}
	}
}

// Seeds that make both many times as slow widen the interval of the difference,
// but hardly that of the ratio.
func TestRatioCancelsWhatScalesBoth(t *testing.T) {
	luck := []float64{1, 2, 0.9, 2.5, 3}
	noise := []float64{1.0001, 0.9999, 1, 1.0002, 0.9998}
	a, b := make([]float64, 5), make([]float64, 5)
	for i := range luck {
		a[i], b[i] = 1.05*luck[i]*noise[i], luck[i]
	}
	low, high := stats.PairedRatioBounds(a, b, 0.975)
	if low > 1.05 || high < 1.05 {
		t.Errorf("bounds %v and %v do not enclose 1.05", low, high)
	}
	difference, base := stats.PairedDifference(a, b, 0.95), stats.MeanInterval(b, 0.95)
	if relative := (difference.High - difference.Low) / base.Mean; high-low > relative/10 {
		t.Errorf("the ratio's interval is %v wide, the difference's %v of the base", high-low, relative)
	}
}

func TestRatioBoundsOfSpecialNumbers(t *testing.T) {
	tests := map[string]struct {
		a, b      []float64
		low, high float64
	}{
		"no pairs":                        {nil, nil, math.Inf(-1), math.Inf(1)},
		"one pair":                        {[]float64{2}, []float64{1}, math.Inf(-1), math.Inf(1)},
		"the same numbers":                {[]float64{0.4, 0.3, 0.7}, []float64{0.4, 0.3, 0.7}, 1, 1},
		"twice the numbers":               {[]float64{0.25, 0.5, 0.75}, []float64{0.125, 0.25, 0.375}, 2, 2},
		"both below 0":                    {[]float64{-2, -4}, []float64{-1, -2}, math.Inf(-1), math.Inf(1)},
		"certain numbers below 0":         {[]float64{-3, -3}, []float64{-2, -2}, 1.5, 1.5},
		"a base of 0":                     {[]float64{1, 2, 3}, []float64{0, 0, 0}, math.Inf(-1), math.Inf(1)},
		"a base that cannot be told from": {[]float64{1, 2, 3}, []float64{-1, 0, 2}, math.Inf(-1), math.Inf(1)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			low, high := stats.PairedRatioBounds(tc.a, tc.b, 0.95)
			if low != tc.low || high != tc.high {
				t.Errorf("bounds %v and %v, want %v and %v", low, high, tc.low, tc.high)
			}
		})
	}
}

// Of 20 000 experiments as many bounds hold as the confidence says.
func TestRatioBoundsCover(t *testing.T) {
	s := stats.NewStream(1, "ratio")
	const rounds, seeds, ratio = 20_000, 5, 1.2
	lows, highs := 0, 0
	a, b := make([]float64, seeds), make([]float64, seeds)
	for range rounds {
		for i := range a {
			shared := s.Normal()
			b[i] = 10 + shared + 0.3*s.Normal()
			a[i] = ratio*(10+shared) + 0.5*s.Normal()
		}
		low, high := stats.PairedRatioBounds(a, b, 0.95)
		if low <= ratio {
			lows++
		}
		if high >= ratio {
			highs++
		}
	}
	for name, held := range map[string]int{"low": lows, "high": highs} {
		if share := float64(held) / rounds; math.Abs(share-0.95) > 0.007 {
			t.Errorf("the %s bound held in %.2f %% of all rounds, want 95 %%", name, 100*share)
		}
	}
}

func FuzzRatioBoundsEncloseTheRatio(f *testing.F) {
	f.Add(10.1, 20.5, 14.8, 10.0, 20.1, 15.2)
	f.Add(1.0, -1.0, 1e-9, 1e9, 1e9, 1e9)
	f.Fuzz(func(t *testing.T, a, b, c, x, y, z float64) {
		for _, v := range []float64{a, b, c, x, y, z} {
			if size := math.Abs(v); !(size < 1e100) || size < 1e-100 {
				return
			}
		}
		if x+y+z == 0 {
			return
		}
		low, high := stats.PairedRatioBounds([]float64{a, b, c}, []float64{x, y, z}, 0.9)
		ratio := (a + b + c) / (x + y + z)
		if slack := 1e-9 * (math.Abs(a) + math.Abs(b) + math.Abs(c)) / math.Abs(x+y+z); !(low <= ratio+slack && high >= ratio-slack) {
			t.Errorf("bounds %v and %v of a ratio of %v", low, high, ratio)
		}
	})
}
