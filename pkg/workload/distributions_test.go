// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload/arrival"
)

var updateDistributions = flag.Bool("update", false, "write docs/distributions.md")

const distributionsPage = "../../docs/distributions.md"

// draws is how many numbers each law is held against.
const draws = 1_000_000

// A law is a distribution in theory, and numbers that are to have it.
type law struct {
	name, parameters string
	sample           func() []float64
	cdf              func(float64) float64
	mean, cv         float64
	low              float64 // the law begins here
	resolution       float64 // numbers are rounded to multiples of it; 0 is not at all
	discrete         bool    // on whole numbers
}

func TestDistributionsPage(t *testing.T) {
	var page strings.Builder
	page.WriteString(`# Distributions, tested

This page compares what Windtunnel draws with theory, for every arrival process and every
distribution of lengths. A test writes it: ` + "`go test ./pkg/workload -run TestDistributionsPage -update`" + `.

Each row has 1,000,000 draws. Laws of real numbers have a Kolmogorov–Smirnov test (D), laws of whole
numbers a chi-squared test (χ² with its degrees of freedom). The test fails if a p-value is below
0.0001. The 50th and 99th percentiles are in the unit of the mean.

## Arrival processes

The rate is one request a second. Times are whole nanoseconds, so gaps are compared with the law of
rounded gaps: with a gamma CV of 2, 0.4 % of gaps are shorter than half a nanosecond and become 0.
` + "`Periodic`" + ` is tested by how early or late each request is, in
seconds, since its gaps depend on each other. ` + "`MMPP`" + ` is tested by the time of the first arrival of
1,000,000 independent processes, for the same reason. ` + "`Constant`" + ` draws nothing: its gaps are equal to
1 ns.

`)
	writeLaws(t, &page, arrivalLaws())
	page.WriteString(`
## Lengths

The lengths are in tokens before they are rounded and clamped. ` + "`Constant`" + ` draws nothing.

`)
	writeLaws(t, &page, lengthLaws())
	page.WriteString(`
## Bursts and lengths

` + "`arrivals.sizeCorrelation`" + ` makes prompts longer, or shorter, where arrivals are dense. The lengths keep
their law. Each row has 100,000 requests. The correlation is Spearman's, between the gap before a
request, from long to short, and the length of the prompt; it has a standard error of 0.003. The
greatest that is reached is 31/32 = 0.969. D and its p-value are those of the lengths.

`)
	writeCouplings(t, &page)
	if *updateDistributions {
		if err := os.WriteFile(distributionsPage, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(distributionsPage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), page.String()); diff != "" {
		t.Errorf("docs/distributions.md (−want +got); -update writes it:\n%s", diff)
	}
}

func writeLaws(t *testing.T, page *strings.Builder, laws []law) {
	page.WriteString("| law | parameters | mean: theory | drawn | CV: theory | drawn | p50: theory | drawn | p99: theory | drawn | statistic | p-value |\n")
	page.WriteString("|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, l := range laws {
		xs := l.sample()
		slices.Sort(xs)
		mean, cv := momentsOf(xs)
		statistic, p := l.test(xs)
		if !(p >= 1e-4) {
			t.Errorf("%s (%s): %s, p-value %v", l.name, l.parameters, statistic, p)
		}
		fmt.Fprintf(page, "| `%s` | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %.4f |\n", l.name, l.parameters,
			digits(l.mean), digits(mean), digits(l.cv), digits(cv),
			digits(l.quantile(0.5)), digits(xs[len(xs)/2]), digits(l.quantile(0.99)), digits(xs[len(xs)/100*99]), statistic, p)
	}
}

func digits(x float64) string {
	if math.IsInf(x, 1) || math.IsNaN(x) {
		return "none"
	}
	return fmt.Sprintf("%.4g", x)
}

func momentsOf(xs []float64) (mean, cv float64) {
	for _, x := range xs {
		mean += x / float64(len(xs))
	}
	variance := 0.0
	for _, x := range xs {
		variance += (x - mean) * (x - mean) / float64(len(xs)-1)
	}
	return mean, math.Sqrt(variance) / math.Abs(mean)
}

// quantile inverts the CDF by bisection.
func (l law) quantile(q float64) float64 {
	low, high := l.low-1, math.Abs(l.low)+1
	for l.cdf(high) < q {
		high *= 2
	}
	for range 100 {
		if middle := (low + high) / 2; l.cdf(middle) < q {
			low = middle
		} else {
			high = middle
		}
	}
	if l.discrete {
		return math.Round(high)
	}
	return high
}

// test returns the statistic and the p-value of sorted numbers.
func (l law) test(sorted []float64) (string, float64) {
	if l.discrete {
		return l.chiSquared(sorted)
	}
	n, d := float64(len(sorted)), 0.0
	for i := 0; i < len(sorted); {
		x, before := sorted[i], i
		for i < len(sorted) && sorted[i] == x {
			i++
		}
		d = max(d, l.cdf(x-l.resolution/2)-float64(before)/n, float64(i)/n-l.cdf(x+l.resolution/2))
	}
	lambda := d * (math.Sqrt(n) + 0.12 + 0.11/math.Sqrt(n))
	p, sign := 0.0, 2.0
	for k := 1.; k <= 100; k++ {
		p += sign * math.Exp(-2*k*k*lambda*lambda)
		sign = -sign
	}
	if lambda < 0.2 {
		p = 1
	}
	return fmt.Sprintf("D = %.6f", d), max(0, min(1, p))
}

// chiSquared tests whole numbers, in cells that each expect 50 or more.
func (l law) chiSquared(sorted []float64) (string, float64) {
	n, sum, cells := float64(len(sorted)), 0.0, 0
	from, before, at := 0, 0.0, 0
	for k := l.low; before < 1-1e-12; k++ {
		for at < len(sorted) && sorted[at] <= k {
			at++
		}
		now := l.cdf(k)
		if expected := n * (now - before); expected >= 50 && n*(1-now) >= 50 || now > 1-1e-12 {
			sum += (float64(at-from) - expected) * (float64(at-from) - expected) / expected
			cells++
			from, before = at, now
		}
	}
	return fmt.Sprintf("χ² = %.2f (%d)", sum, cells-1), 1 - gammaCDF(float64(cells-1)/2, sum/2)
}

// gammaCDF is the regularised lower incomplete gamma function: the sum of its series, or 1
// minus its continued fraction where that converges faster.
func gammaCDF(shape, x float64) float64 {
	if x <= 0 {
		return 0
	}
	logGamma, _ := math.Lgamma(shape)
	front := math.Exp(shape*math.Log(x) - x - logGamma)
	if x < shape+1 {
		term := 1 / shape
		sum := term
		for k := shape + 1; term > 1e-17*sum; k++ {
			term *= x / k
			sum += term
		}
		return front * sum
	}
	// From the last fraction to the first one.
	fraction := 0.0
	for k := math.Ceil(200 + 20*math.Sqrt(shape)); k >= 1; k-- {
		fraction = k * (k - shape) / (x + 2*k + 1 - shape - fraction)
	}
	return 1 - front/(x+1-shape-fraction)
}

func normalCDF(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

// gaps returns the gaps of a process in seconds.
func gaps(a arrival.Arrivals) func() []float64 {
	a.RatePerSecond = 1
	return func() []float64 {
		clock := arrival.NewClock(a, stats.NewStream(1, fmt.Sprintf("%s/%v/%v", a.Process, a.CV, a.Shape)))
		xs := make([]float64, draws)
		last := simtime.Time(0)
		for i := range xs {
			at := clock.Next()
			xs[i], last = at.Sub(last).Seconds(), at
		}
		return xs
	}
}

func arrivalLaws() []law {
	const jitter = 0.5
	weibull := stats.WeibullOf(1, 2)
	pareto := func(shape float64) law {
		scale, cv := (shape-1)/shape, math.Inf(1)
		if shape > 2 {
			cv = 1 / math.Sqrt(shape*(shape-2))
		}
		return law{
			name: "Pareto", parameters: fmt.Sprintf("shape %v", shape), mean: 1, cv: cv,
			resolution: 1e-9, sample: gaps(arrival.Arrivals{Process: arrival.Pareto, Shape: shape}),
			cdf: func(x float64) float64 { return 1 - math.Pow(max(1, x/scale), -shape) },
		}
	}
	return []law{
		{
			name: "Poisson", mean: 1, cv: 1,
			resolution: 1e-9, sample: gaps(arrival.Arrivals{Process: arrival.Poisson}),
			cdf: func(x float64) float64 { return 1 - math.Exp(-max(0, x)) },
		},
		{
			name: "Gamma", parameters: "CV 2", mean: 1, cv: 2,
			resolution: 1e-9, sample: gaps(arrival.Arrivals{Process: arrival.Gamma, CV: 2}),
			cdf: func(x float64) float64 { return gammaCDF(0.25, x/4) },
		},
		{
			name: "Gamma", parameters: "CV 0.5", mean: 1, cv: 0.5,
			resolution: 1e-9, sample: gaps(arrival.Arrivals{Process: arrival.Gamma, CV: 0.5}),
			cdf: func(x float64) float64 { return gammaCDF(4, 4*x) },
		},
		{
			name: "Weibull", parameters: fmt.Sprintf("CV 2 (shape %.4g)", weibull.Shape), mean: 1, cv: 2,
			resolution: 1e-9, sample: gaps(arrival.Arrivals{Process: arrival.Weibull, CV: 2}),
			cdf: func(x float64) float64 { return 1 - math.Exp(-math.Pow(max(0, x/weibull.Scale), weibull.Shape)) },
		},
		pareto(2.5), pareto(1.5),
		{
			name: "Periodic", parameters: "jitter 0.5", mean: 0, cv: math.NaN(), low: -1,
			sample: func() []float64 {
				clock := arrival.NewClock(arrival.Arrivals{Process: arrival.Periodic, RatePerSecond: 1, Jitter: jitter}, stats.NewStream(1, "Periodic"))
				xs := make([]float64, draws)
				for i := range xs {
					xs[i] = clock.Next().Sub(simtime.Time((i + 1) * 1e9)).Seconds()
				}
				return xs
			},
			cdf: func(x float64) float64 { return max(0, min(1, x/jitter+0.5)) },
		},
		mmppLaw(),
	}
}

// mmppLaw is the time to the first arrival of a process with two states, which starts in one of
// them by their shares of the time. The probability that none has come obeys
// s₁' = -(r₁+a)·s₁ + a·s₂ and s₂' = b·s₁ - (r₂+b)·s₂ where the states have the rates r and are left
// at the rates a and b.
func mmppLaw() law {
	const first, second = 10., 2. // s
	scale := (first + second) / (0.5*first + 4*second)
	r1, r2, a, b := 0.5*scale, 4*scale, 1/first, 1/second
	// Both roots of the characteristic equation.
	trace, det := -(r1 + a + r2 + b), (r1+a)*(r2+b)-a*b
	root := math.Sqrt(trace*trace - 4*det)
	x1, x2 := (trace+root)/2, (trace-root)/2
	p1, p2 := first/(first+second), second/(first+second)
	// s(0) = 1 and s'(0) = -(p₁r₁ + p₂r₂) give the parts of the two exponentials.
	slope := -(p1*r1 + p2*r2)
	c1 := (slope - x2) / (x1 - x2)
	c2 := 1 - c1
	mean := -(c1/x1 + c2/x2)
	square := 2 * (c1/(x1*x1) + c2/(x2*x2))
	return law{
		name: "MMPP", parameters: "0.5 for 10 s, 4 for 2 s", mean: mean, cv: math.Sqrt(square-mean*mean) / mean,
		sample: func() []float64 {
			process := arrival.Arrivals{Process: arrival.MMPP, RatePerSecond: 1, States: []arrival.State{
				{RateFactor: 0.5, MeanDuration: first * time.Second}, {RateFactor: 4, MeanDuration: second * time.Second},
			}}
			xs := make([]float64, draws)
			for i := range xs {
				clock := arrival.NewClock(process, stats.NewStream(int64(i), "distributions"))
				xs[i] = clock.Next().Seconds()
			}
			return xs
		},
		cdf: func(x float64) float64 { x = max(0, x); return 1 - c1*math.Exp(x1*x) - c2*math.Exp(x2*x) },
	}
}

// of draws from a distribution, from a stream of its own.
func of(d stats.Distribution) func() []float64 {
	return func() []float64 {
		stream, xs := stats.NewStream(1, fmt.Sprintf("%T/%.4g", d, d.Expectation())), make([]float64, draws)
		for i := range xs {
			xs[i] = d.Sample(stream)
		}
		return xs
	}
}

func lengthLaws() []law {
	logNormal := stats.LogNormalOf(500, 400)
	logNormalCDF := func(x float64) float64 { return normalCDF((math.Log(max(x, 1e-300)) - logNormal.Mu) / logNormal.Sigma) }
	pareto := stats.ParetoOf(500, 2.5)
	paretoCDF := func(x float64) float64 { return 1 - math.Pow(max(1, x/pareto.Scale), -pareto.Shape) }
	paretoCV := 1 / math.Sqrt(2.5*0.5)
	mixture := stats.MixtureOf([]stats.Weighted{{Weight: 3, Distribution: pareto}, {Weight: 1, Distribution: logNormal}})
	mixtureSquare := 0.75*500*500*(1+paretoCV*paretoCV) + 0.25*(500*500+400*400)
	return []law{
		{name: "Uniform", parameters: "0 to 1000", mean: 500, cv: 1 / math.Sqrt(3),
			sample: of(stats.Uniform{High: 1000}), cdf: func(x float64) float64 { return max(0, min(1, x/1000)) }},
		{name: "Normal", parameters: "mean 500, stdDev 200", mean: 500, cv: 0.4, low: -10_000,
			sample: of(stats.Normal{Mean: 500, StdDev: 200}), cdf: func(x float64) float64 { return normalCDF((x - 500) / 200) }},
		{name: "Exponential", parameters: "mean 500", mean: 500, cv: 1,
			sample: of(stats.Exponential{Mean: 500}), cdf: func(x float64) float64 { return 1 - math.Exp(-max(0, x)/500) }},
		{name: "LogNormal", parameters: "mean 500, stdDev 400", mean: 500, cv: 0.8, sample: of(logNormal), cdf: logNormalCDF},
		{name: "Gamma", parameters: "mean 500, stdDev 400", mean: 500, cv: 0.8,
			sample: of(stats.GammaOf(500, 400)), cdf: func(x float64) float64 { return gammaCDF(1.5625, x/320) }},
		{name: "Pareto", parameters: "mean 500, shape 2.5", mean: 500, cv: paretoCV, sample: of(pareto), cdf: paretoCDF},
		{name: "Mixture", parameters: "3 parts of that Pareto, 1 of that LogNormal", mean: 500, cv: math.Sqrt(mixtureSquare-500*500) / 500,
			sample: of(mixture), cdf: func(x float64) float64 { return 0.75*paretoCDF(x) + 0.25*logNormalCDF(x) }},
		zipfLaw(1.2, 16, 4096), zipfLaw(1, 1, 100), zipfLaw(0, 1, 50),
		wholeLaw("Histogram", "16, 64, 1024 with the weights 5, 3, 2", of(stats.WeightedValuesOf([]float64{16, 64, 1024}, []float64{5, 3, 2})),
			16, 1024, func(k int) float64 { return map[int]float64{16: 5, 64: 3, 1024: 2}[k] }),
	}
}

func zipfLaw(exponent float64, low, high int) law {
	return wholeLaw("Zipf", fmt.Sprintf("exponent %v, %d to %d", exponent, low, high), of(stats.ZipfOf(exponent, low, high)), low, high,
		func(k int) float64 { return math.Pow(float64(k), -exponent) })
}

// wholeLaw is a law on low to high with those weights.
func wholeLaw(name, parameters string, sample func() []float64, low, high int, weight func(int) float64) law {
	sums := make([]float64, high+1)
	mean, square := 0.0, 0.0
	for k := low; k <= high; k++ {
		w := weight(k)
		sums[k] = sums[k-1] + w
		mean += w * float64(k)
		square += w * float64(k) * float64(k)
	}
	all := sums[high]
	mean, square = mean/all, square/all
	return law{
		name: name, parameters: parameters, mean: mean, cv: math.Sqrt(square-mean*mean) / mean, low: float64(low), discrete: true, sample: sample,
		cdf: func(x float64) float64 { return sums[int(max(0, min(float64(high), math.Floor(x))))] / all },
	}
}
