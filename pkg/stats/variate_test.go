// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/paniccheck"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// law is what a distribution should be: a mean, a variance, a kurtosis and,
// where it has a simple form, the distribution function.
type law struct {
	mean, variance, kurtosis float64
	below                    func(x float64) float64
}

func gammaLaw(shape, scale float64, below func(float64) float64) law {
	return law{shape * scale, shape * scale * scale, 3 + 6/shape, below}
}

func logNormalLaw(mu, sigma float64) law {
	w := math.Exp(sigma * sigma)
	return law{
		mean:     math.Exp(mu + sigma*sigma/2),
		variance: (w - 1) * math.Exp(2*mu) * w,
		kurtosis: w*w*w*w + 2*w*w*w + 3*w*w - 3,
		below:    func(x float64) float64 { return normalBelow((math.Log(x) - mu) / sigma) },
	}
}

func normalBelow(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

func exponentialBelow(x float64) float64 { return -math.Expm1(-x) }

func TestVariatesFollowTheirLaws(t *testing.T) {
	halfBelow := func(x float64) float64 { return math.Erf(math.Sqrt(x)) }
	tests := map[string]struct {
		draw func(*stats.Stream) float64
		law  law
	}{
		"exponential": {(*stats.Stream).Exponential, law{1, 1, 9, exponentialBelow}},
		"normal":      {(*stats.Stream).Normal, law{0, 1, 3, normalBelow}},
		"gamma of shape 0.1, boosted": {
			func(s *stats.Stream) float64 { return s.Gamma(0.1) }, gammaLaw(0.1, 1, nil),
		},
		"gamma of shape ½, boosted": {
			func(s *stats.Stream) float64 { return s.Gamma(0.5) }, gammaLaw(0.5, 1, halfBelow),
		},
		"gamma of shape 1 is exponential": {
			func(s *stats.Stream) float64 { return s.Gamma(1) }, gammaLaw(1, 1, exponentialBelow),
		},
		"gamma of shape 3": {
			func(s *stats.Stream) float64 { return s.Gamma(3) },
			gammaLaw(3, 1, func(x float64) float64 { return 1 - math.Exp(-x)*(1+x+x*x/2) }),
		},
		"gamma of shape 1000": {
			func(s *stats.Stream) float64 { return s.Gamma(1000) }, gammaLaw(1000, 1, nil),
		},
		"uniform on [-1, 3)": {
			stats.Uniform{Low: -1, High: 3}.Sample,
			law{1, 16. / 12, 1.8, func(x float64) float64 { return (x + 1) / 4 }},
		},
		"normal of mean 256 and standard deviation 100": {
			stats.Normal{Mean: 256, StdDev: 100}.Sample,
			law{256, 10_000, 3, func(x float64) float64 { return normalBelow((x - 256) / 100) }},
		},
		"exponential of mean 128": {
			stats.Exponential{Mean: 128}.Sample,
			law{128, 128 * 128, 9, func(x float64) float64 { return exponentialBelow(x / 128) }},
		},
		"log-normal of mu 2 and sigma ½": {stats.LogNormal{Mu: 2, Sigma: 0.5}.Sample, logNormalLaw(2, 0.5)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			const n = 200_000
			s := stats.NewStream(1, name)
			xs := make([]float64, n)
			for i := range xs {
				xs[i] = tc.draw(s)
			}
			checkMoments(t, xs, tc.law)
			if tc.law.below != nil {
				checkShape(t, xs, tc.law.below)
			}
		})
	}
}

// checkMoments allows four standard errors.
func checkMoments(t *testing.T, xs []float64, want law) {
	t.Helper()
	n := float64(len(xs))
	got := stats.MeanInterval(xs, 0.95)
	if tolerance := 4 * math.Sqrt(want.variance/n); math.Abs(got.Mean-want.mean) > tolerance {
		t.Errorf("mean %v, want %v ± %v", got.Mean, want.mean, tolerance)
	}
	variance := got.StdDev * got.StdDev
	if tolerance := 4 * want.variance * math.Sqrt((want.kurtosis-1)/n); math.Abs(variance-want.variance) > tolerance {
		t.Errorf("variance %v, want %v ± %v", variance, want.variance, tolerance)
	}
}

// checkShape is the Kolmogorov–Smirnov test at one in a thousand.
func checkShape(t *testing.T, xs []float64, below func(float64) float64) {
	t.Helper()
	slices.Sort(xs)
	n, distance := float64(len(xs)), 0.0
	for i, x := range xs {
		p := below(x)
		distance = max(distance, p-float64(i)/n, float64(i+1)/n-p)
	}
	if distance*math.Sqrt(n) > 1.95 {
		t.Errorf("distribution function is off by %v over %d samples", distance, len(xs))
	}
}

func TestExpectationIsTheMeanOfTheLaw(t *testing.T) {
	tests := map[string]struct {
		distribution stats.Distribution
		want         float64
	}{
		"constant":                  {stats.Constant{Value: 7}, 7},
		"uniform":                   {stats.Uniform{Low: 2, High: 4}, 3},
		"normal":                    {stats.Normal{Mean: 256, StdDev: 100}, 256},
		"exponential":               {stats.Exponential{Mean: 128}, 128},
		"log-normal":                {stats.LogNormal{Mu: 0, Sigma: 2}, math.Exp(2)},
		"log-normal of its moments": {stats.LogNormalOf(300, 450), 300},
		"log-normal without spread": {stats.LogNormalOf(300, 0), 300},
	}
	for name, tc := range tests {
		if got := tc.distribution.Expectation(); math.Abs(got-tc.want) > 1e-12*tc.want {
			t.Errorf("%s: expectation %v, want %v", name, got, tc.want)
		}
	}
}

func TestLogNormalOfHasTheMomentsAskedFor(t *testing.T) {
	d := stats.LogNormalOf(300, 450)
	got := logNormalLaw(d.Mu, d.Sigma)
	if math.Abs(got.mean-300) > 1e-9 || math.Abs(math.Sqrt(got.variance)-450) > 1e-9 {
		t.Errorf("mean %v, standard deviation %v, want 300 and 450", got.mean, math.Sqrt(got.variance))
	}
}

func TestLawsWithoutSpreadDrawOneValue(t *testing.T) {
	s := stats.NewStream(1, "constant")
	for name, d := range map[string]stats.Distribution{
		"constant":   stats.Constant{Value: 300},
		"uniform":    stats.Uniform{Low: 300, High: 300},
		"normal":     stats.Normal{Mean: 300},
		"log-normal": stats.LogNormalOf(300, 0),
	} {
		for range 10 {
			if got := d.Sample(s); math.Abs(got-300) > 1e-12 {
				t.Errorf("%s: %v, want 300", name, got)
			}
		}
	}
}

// Candidates of a sweep are compared under common random numbers: scaling a
// law must keep which request is long and which is short.
func TestOneDrawVariatesOfScaledLawsRankAlike(t *testing.T) {
	narrow, wide := stats.NewStream(1, "lengths"), stats.NewStream(1, "lengths")
	small, large := stats.Normal{Mean: 0, StdDev: 1}, stats.Normal{Mean: 0, StdDev: 8}
	for range 1000 {
		if a, b := small.Sample(narrow), large.Sample(wide); 8*a != b {
			t.Fatalf("%v and %v are not the same quantile", a, b)
		}
	}
}

func TestGammaOfAnImpossibleShapePanics(t *testing.T) {
	for _, shape := range []float64{0, -1, math.Inf(1), math.NaN()} {
		t.Run(fmt.Sprint(shape), func(t *testing.T) {
			defer paniccheck.Want(t, "did not panic")
			stats.NewStream(1, "gamma").Gamma(shape)
		})
	}
}

func TestGammaOfExtremeShapesStaysFinite(t *testing.T) {
	s := stats.NewStream(1, "gamma")
	for _, shape := range []float64{1e-300, 1e-6, 0.999, 1e9, 1e300} {
		for range 100 {
			if x := s.Gamma(shape); !(x >= 0) || math.IsInf(x, 0) {
				t.Errorf("Gamma(%v) = %v", shape, x)
			}
		}
	}
}
