// SPDX-License-Identifier: Apache-2.0

package ranktest_test

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/ranktest"
	"windtunnel.dev/windtunnel/pkg/stats"
)

func TestRankTestsOfPublishedData(t *testing.T) {
	tests := map[string]struct {
		test func(a, b []float64) float64
		a, b []float64
		want float64
	}{
		// Hamilton depression scale before and after (Hollander, Wolfe 1973, page
		// 29). R's wilcox.test prints V = 40, p-value = 0.01953.
		"depression": {
			ranktest.WilcoxonP,
			[]float64{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30},
			[]float64{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29},
			0.01953,
		},
		// Permeability of placental membrane (page 69): W = 35, p-value = 0.1272.
		"permeability": {
			ranktest.MannWhitneyP,
			[]float64{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46},
			[]float64{1.15, 0.88, 0.90, 0.74, 1.21},
			0.1272,
		},
	}
	for name, tc := range tests {
		if got := tc.test(tc.a, tc.b); math.Abs(got-tc.want) > 5e-5 {
			t.Errorf("%s: p = %v, want %v", name, got, tc.want)
		}
	}
}

func TestRankTestsThatCompareNothing(t *testing.T) {
	many := slices.Repeat([]float64{7}, 60)
	tests := map[string]struct {
		test func(a, b []float64) float64
		a, b []float64
	}{
		"Wilcoxon, no pairs":                    {ranktest.WilcoxonP, nil, nil},
		"Wilcoxon, no differences":              {ranktest.WilcoxonP, []float64{1, 2}, []float64{1, 2}},
		"Mann–Whitney, nothing on one side":     {ranktest.MannWhitneyP, []float64{1, 2}, nil},
		"Mann–Whitney, equal numbers":           {ranktest.MannWhitneyP, []float64{7, 7}, []float64{7, 7}},
		"Mann–Whitney, many equal numbers":      {ranktest.MannWhitneyP, many, many},
		"Mann–Whitney, nothing on either side":  {ranktest.MannWhitneyP, nil, nil},
		"Mann–Whitney, nothing on the one side": {ranktest.MannWhitneyP, nil, []float64{1}},
	}
	for name, tc := range tests {
		if got := tc.test(tc.a, tc.b); got != 1 {
			t.Errorf("%s: p = %v, want 1", name, got)
		}
	}
}

// enumerate returns the share of all 2^n subsets of n things for which keep
// holds that also pass.
func enumerate(n int, keep, pass func(subset uint) bool) float64 {
	all, passed := 0, 0
	for subset := range uint(1) << n {
		if keep(subset) {
			all++
			if pass(subset) {
				passed++
			}
		}
	}
	return float64(passed) / float64(all)
}

// meanRank is the rank of xs[i] among xs, by counting, doubled.
func meanRank(xs []float64, i int) int {
	rank := 1
	for _, v := range xs {
		if v < xs[i] {
			rank += 2
		} else if v == xs[i] {
			rank++
		}
	}
	return rank
}

func sumOf(ranks []int, subset uint) int {
	sum := 0
	for i, rank := range ranks {
		if subset>>i&1 == 1 {
			sum += rank
		}
	}
	return sum
}

func TestRankTestsCountAllOutcomes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		n := 1 + r.IntN(11)
		sizes, ranks, signs := make([]float64, n), make([]int, n), uint(r.IntN(1<<n))
		for i := range sizes {
			sizes[i] = float64(1 + r.IntN(8))
		}
		for i := range ranks {
			ranks[i] = meanRank(sizes, i)
		}
		observed := sumOf(ranks, signs)

		signed, zeros := slices.Clone(sizes), make([]float64, n)
		for i := range signed {
			if signs>>i&1 == 0 {
				signed[i] = -signed[i]
			}
		}
		want := enumerate(n, func(uint) bool { return true }, func(s uint) bool { return sumOf(ranks, s) >= observed })
		if got := ranktest.WilcoxonP(signed, zeros); math.Abs(got-want) > 1e-12 {
			t.Fatalf("Wilcoxon of %v: %v, want %v", signed, got, want)
		}

		var a, b []float64
		for i, size := range sizes {
			if signs>>i&1 == 1 {
				a = append(a, size)
			} else {
				b = append(b, size)
			}
		}
		if len(a) == 0 || len(b) == 0 {
			continue
		}
		want = enumerate(n, func(s uint) bool { return bits.OnesCount(s) == len(a) }, func(s uint) bool { return sumOf(ranks, s) >= observed })
		if got := ranktest.MannWhitneyP(a, b); math.Abs(got-want) > 1e-12 {
			t.Fatalf("Mann–Whitney of %v and %v: %v, want %v", a, b, got, want)
		}
	}
}

// Just above the number up to which outcomes are counted, the approximation
// gives nearly what they gave just below, with and without ties.
func TestRankTestsAgreeWhereTheMethodChanges(t *testing.T) {
	for name, step := range map[string]float64{"no ties": 1e-3, "ties": 1} {
		a, b, zeros := make([]float64, 26), make([]float64, 26), make([]float64, 52)
		r := rand.New(rand.NewPCG(5, 6))
		for i := range a {
			a[i] = math.Round((r.NormFloat64()*4+1.5)/step) * step
			b[i] = math.Round(r.NormFloat64()*4/step) * step
		}
		exact, approximate := ranktest.MannWhitneyP(a[:25], b[:25]), ranktest.MannWhitneyP(a, append(b[:25:25], a[25]-b[25]+b[0]))
		if approximate < exact/2 || approximate > exact*2 {
			t.Errorf("Mann–Whitney, %s: %v of 50 numbers, %v of 52", name, exact, approximate)
		}
		differences := make([]float64, 0, 52)
		for i := range a {
			differences = append(differences, a[i]+step/2, b[i]+step/2)
		}
		exact, approximate = ranktest.WilcoxonP(differences[:50], zeros[:50]), ranktest.WilcoxonP(differences, zeros)
		if approximate < exact/2 || approximate > exact*2 {
			t.Errorf("Wilcoxon, %s: %v of 50 differences, %v of 52", name, exact, approximate)
		}
	}
}

// Of a and b from one law as many fall below a p as p says, by the normal
// approximation as by counting; where a lies above, most do.
func TestRankTestsRejectAsOftenAsTheySay(t *testing.T) {
	s := stats.NewStream(1, "ranks")
	for _, n := range []int{12, 60} {
		const rounds = 1500
		a, b := make([]float64, n), make([]float64, n)
		rejected := func(test func(a, b []float64) float64, shift float64) float64 {
			count := 0
			for range rounds {
				for i := range a {
					a[i], b[i] = s.Exponential()+shift, s.Exponential()
				}
				if test(a, b) <= 0.05 {
					count++
				}
			}
			return float64(count) / rounds
		}
		for name, test := range map[string]func(a, b []float64) float64{"Wilcoxon": ranktest.WilcoxonP, "Mann–Whitney": ranktest.MannWhitneyP} {
			if share := rejected(test, 0); share > 0.05+4*math.Sqrt(0.05*0.95/rounds) || share < 0.03 {
				t.Errorf("%s of %d: one law is told apart in %.1f %% of all rounds", name, n, 100*share)
			}
			if share := rejected(test, 1); share < 0.6 {
				t.Errorf("%s of %d: a law shifted by its standard deviation is told apart in %.1f %% only", name, n, 100*share)
			}
		}
	}
}
