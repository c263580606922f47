// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windtunnel.dev/windtunnel/pkg/stats"
)

func TestFrontMembership(t *testing.T) {
	tests := map[string]struct {
		samples [][][]float64
		want    []float64
	}{
		"no points":             {nil, []float64{}},
		"only failed points":    {[][][]float64{nil, nil}, []float64{0, 0}},
		"a point of its own":    {[][][]float64{{{1, 2}, {3, 4}}}, []float64{1}},
		"a failed one beside":   {[][][]float64{nil, {{1}, {3}}}, []float64{0, 1}},
		"a dominated point":     {[][][]float64{{{2, 3}, {2, 3}}, {{1, 2}, {1, 2}}}, []float64{0, 1}},
		"equal points":          {[][][]float64{{{2, 3}, {2, 3}}, {{2, 3}, {2, 3}}}, []float64{1, 1}},
		"a trade":               {[][][]float64{{{1}, {5}}, {{5}, {1}}, {{3}, {3}}, {{4}, {4}}}, []float64{1, 1, 1, 0}},
		"as good in one":        {[][][]float64{{{1}, {5}}, {{1}, {6}}}, []float64{1, 0}},
		"three objectives":      {[][][]float64{{{1}, {5}, {2}}, {{1}, {6}, {1}}, {{2}, {6}, {2}}}, []float64{1, 1, 0}},
		"a single objective":    {[][][]float64{{{3, 3}}, {{1, 1}}, {{2, 2}}}, []float64{0, 1, 0}},
		"better under one of 2": {[][][]float64{{{0, 3}, {0, 0}}, {{1, 1}, {0, 0}}}, []float64{0.25, 0.75}},
		// The second is worse under each seed by as much: however wide both
		// scatter, under common seeds nothing is in doubt.
		"luck that both share": {[][][]float64{{{0, 100, 50}, {7, 7, 7}}, {{1, 101, 51}, {7, 7, 7}}}, []float64{1, 0}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := stats.FrontMembership(tc.samples, 4000, stats.NewStream(1, "front"))
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateApprox(0, 0.03)); diff != "" {
				t.Errorf("membership (−want +got):\n%s", diff)
			}
		})
	}
}

// With two seeds there are four equally likely resamples, which can be counted.
func TestFrontMembershipAgreesWithCounting(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		const points = 12
		samples := make([][][]float64, points)
		for i := range samples {
			for range 2 {
				samples[i] = append(samples[i], []float64{float64(r.IntN(6)), float64(r.IntN(6))})
			}
		}
		want := make([]float64, points)
		for _, seeds := range [][2]int{{0, 0}, {0, 1}, {1, 0}, {1, 1}} {
			at := func(point, objective int) float64 {
				xs := samples[point][objective]
				return xs[seeds[0]] + xs[seeds[1]]
			}
			for i := range samples {
				on := true
				for j := range samples {
					if at(j, 0) <= at(i, 0) && at(j, 1) <= at(i, 1) && (at(j, 0) < at(i, 0) || at(j, 1) < at(i, 1)) {
						on = false
					}
				}
				if on {
					want[i] += 0.25
				}
			}
		}
		got := stats.FrontMembership(samples, 4000, stats.NewStream(1, "front"))
		if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 0.03)); diff != "" {
			t.Fatalf("membership of %v (−want +got):\n%s", samples, diff)
		}
	}
}

func TestFrontsOfUnevenSamplesPanic(t *testing.T) {
	for name, samples := range map[string][][][]float64{
		"objectives": {{{1}, {2}}, {{1}}},
		"seeds":      {{{1, 2}}, {{1}}},
		"none":       {{}, {{1}}},
	} {
		if !panics(func() { stats.FrontMembership(samples, 10, stats.NewStream(1, "front")) }) {
			t.Errorf("different numbers of %s did not panic", name)
		}
	}
	if !panics(func() { stats.FrontMembership(nil, 0, stats.NewStream(1, "front")) }) {
		t.Error("no resamples did not panic")
	}
}

func BenchmarkFrontMembership(b *testing.B) {
	b.ReportAllocs()
	r := rand.New(rand.NewPCG(1, 2))
	samples := make([][][]float64, 1000)
	for i := range samples {
		for range 2 {
			xs := make([]float64, 5)
			for seed := range xs {
				xs[seed] = r.NormFloat64()
			}
			samples[i] = append(samples[i], xs)
		}
	}
	for b.Loop() {
		for _, p := range stats.FrontMembership(samples, 100, stats.NewStream(1, "front")) {
			sinkFloat += p
		}
	}
	if math.IsNaN(sinkFloat) {
		b.Fatal("not a number")
	}
}
