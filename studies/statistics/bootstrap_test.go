// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/stats"
)

func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// populationVariance is the plug-in estimate, which is biased.
func populationVariance(xs []float64) float64 {
	middle, sum := mean(xs), 0.0
	for _, x := range xs {
		sum += (x - middle) * (x - middle)
	}
	return sum / float64(len(xs))
}

func median(xs []float64) float64 {
	slices.Sort(xs)
	return (xs[(len(xs)-1)/2] + xs[len(xs)/2]) / 2
}

// The variance of test A of 26 neurologically impaired children. Efron and
// Tibshirani (An Introduction to the Bootstrap, 1993, table 14.2) print 171.5
// and the 90 % interval [115.8, 259.6] from 2000 resamples, where the simple
// percentiles were [100.8, 233.9].
func TestBootstrapOfPublishedData(t *testing.T) {
	spatial := []float64{
		48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6, 0, 33, 28, 34, 4, 32, 24, 47, 41, 24, 26, 30, 41,
	}
	got := bootstrapInterval(spatial, populationVariance, 0.9, 20_000, stats.NewStream(1, "bootstrap"))
	if math.Abs(got.Mean-171.5) > 0.05 || math.Abs(got.Low-115.8) > 3 || math.Abs(got.High-259.6) > 5 || got.N != 26 {
		t.Errorf("interval %+v, want 171.5 in [115.8, 259.6]", got)
	}
}

// Of numbers that are normal the bootstrap of the mean is the t-interval.
func TestBootstrapOfAMeanIsNearStudents(t *testing.T) {
	s := stats.NewStream(1, "bootstrap")
	xs := make([]float64, 100)
	for i := range xs {
		xs[i] = 50 + 10*s.Normal()
	}
	got, want := bootstrapInterval(xs, mean, 0.95, 20_000, s), stats.MeanInterval(xs, 0.95)
	if math.Abs(got.Low-want.Low) > 0.2 || math.Abs(got.High-want.High) > 0.2 || math.Abs(got.Mean-want.Mean) > 1e-12 || got.StdDev != want.StdDev {
		t.Errorf("interval %+v, by t %+v", got, want)
	}
}

func TestBootstrapOfSpecialNumbers(t *testing.T) {
	tests := map[string]struct {
		numbers []float64
		want    stats.Interval
	}{
		"nothing":       {nil, stats.Interval{}},
		"one number":    {[]float64{7.5}, stats.Interval{Mean: 7.5, Low: 7.5, High: 7.5, N: 1}},
		"equal numbers": {[]float64{0.5, 0.5, 0.5}, stats.Interval{Mean: 0.5, Low: 0.5, High: 0.5, N: 3}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := bootstrapInterval(tc.numbers, mean, 0.95, 1000, stats.NewStream(1, "bootstrap"))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("interval (−want +got):\n%s", diff)
			}
		})
	}
}

func TestBootstrapLeavesTheNumbersAlone(t *testing.T) {
	numbers := []float64{3, 1, 2, 9, 4}
	bootstrapInterval(numbers, median, 0.95, 100, stats.NewStream(1, "bootstrap"))
	if diff := cmp.Diff([]float64{3, 1, 2, 9, 4}, numbers); diff != "" {
		t.Errorf("numbers (−before +after):\n%s", diff)
	}
}

func panics(f func()) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	f()
	return false
}

func TestImpossibleBootstrapsPanic(t *testing.T) {
	for name, f := range map[string]func(){
		"certainty":    func() { bootstrapInterval(nil, mean, 1, 100, nil) },
		"not a number": func() { bootstrapInterval(nil, mean, math.NaN(), 100, nil) },
		"no resamples": func() { bootstrapInterval(nil, mean, 0.95, 0, nil) },
	} {
		if !panics(f) {
			t.Errorf("%s did not panic", name)
		}
	}
}

// Each end of an interval of a skewed law's mean or median holds nearly as often
// as it says.
func TestBootstrapCoversWhatIsNotNormal(t *testing.T) {
	tests := map[string]struct {
		statistic   func([]float64) float64
		truth       float64
		least, most float64 // of the shares in which the end holds; 0.95 is wanted
	}{
		"mean":   {mean, 1, 0.91, 0.97},
		"median": {median, math.Ln2, 0.92, 0.985},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := stats.NewStream(1, "coverage")
			const rounds = 400
			lows, highs := 0, 0
			xs := make([]float64, 40)
			for range rounds {
				for i := range xs {
					xs[i] = s.Exponential()
				}
				in := bootstrapInterval(xs, tc.statistic, 0.9, 400, s)
				if in.Low <= tc.truth {
					lows++
				}
				if in.High >= tc.truth {
					highs++
				}
			}
			for end, count := range map[string]int{"low": lows, "high": highs} {
				if share := float64(count) / rounds; share < tc.least || share > tc.most {
					t.Errorf("the %s end holds in %.1f %% of all rounds", end, 100*share)
				}
			}
		})
	}
}

func FuzzBootstrapStaysWithinTheResamples(f *testing.F) {
	f.Add([]byte{1, 2, 3, 200}, 0.9, int64(1))
	f.Fuzz(func(t *testing.T, data []byte, confidence float64, seed int64) {
		if len(data) == 0 || len(data) > 50 || !(confidence > 0 && confidence < 1) {
			return
		}
		xs := make([]float64, len(data))
		for i, b := range data {
			xs[i] = float64(b)
		}
		in := bootstrapInterval(xs, median, confidence, 50, stats.NewStream(seed, "fuzz"))
		if !(slices.Min(xs) <= in.Low && in.Low <= in.High && in.High <= slices.Max(xs)) {
			t.Errorf("interval %+v of %v", in, xs)
		}
	})
}
