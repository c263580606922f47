// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload/arrival"
)

const distributionsPage = "../../docs/studies/distributions.md"

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
	tail             float64 // moments of this order and above are infinite; 0 is none
	dependent        bool    // numbers depend on those before them
}

func TestDistributionsPage(t *testing.T) {
	var page strings.Builder
	page.WriteString(`# Distributions, tested

This page compares what Windtunnel draws with theory, for every arrival process and every
distribution of lengths. A test writes it: ` + "`go test ./pkg/workload -run TestDistributionsPage -update`" + `.

Each row has 1,000,000 draws. Laws of real numbers have a Kolmogorov–Smirnov test (D), laws of whole
numbers a chi-squared test (χ² with its degrees of freedom). z is how many standard errors a moment
of the draws is above theory. The standard errors come from a jackknife of 1000 batches. The test
fails if a p-value is below 0.0001, or if a z is beyond ±3.89, which is as rare. The 50th and 99th
percentiles are in the unit of the mean.

## Arrival processes

The rate is one request a second. Times are whole nanoseconds, so gaps are compared with the law of
rounded gaps: with a gamma CV of 2, 0.4 % of gaps are shorter than half a nanosecond and become 0.
` + "`Periodic`" + ` is tested by how early or late each request is, in seconds, since its gaps depend on
each other. ` + "`MMPP`" + ` is tested twice: by the time of the first arrival of 1,000,000 independent
processes, and by 1,000,000 gaps of one process that runs on. These gaps depend on each other too,
so they have no p-value. Theory says how often they come and how they vary, and the batches contain
their dependence. ` + "`Constant`" + ` draws nothing: its gaps are equal to 1 ns.

`)
	writeLaws(t, &page, arrivalLaws())
	page.WriteString(`
## Lengths

The lengths are in tokens before they are rounded and clamped. ` + "`Constant`" + ` draws nothing.

`)
	writeLaws(t, &page, lengthLaws())
	page.WriteString(`
## Heavy tails

The fourth moment of a Pareto law with a shape of 4 or less is infinite, so the CV of draws has no
standard error. With a shape of 2 or less there is no variance either, and the mean has no standard
error. The tables above then have no z. The CV of 1,000,000 draws is usually too small, because a
large part of the second moment comes from values that occur in few samples of this size: the first
column of figures is the part that lies above the value which one draw in a million exceeds, and
"cut off" is the CV of the law cut off there. The CV of the mixture is too small for this reason, not
because of an error or because draws are cut off: the moments of min(x, c), where c is the 99.9th
percentile of the law, have standard errors, and agree with theory.

`)
	writeTails(t, &page, append(arrivalLaws(), lengthLaws()...))
	page.WriteString(`
## Bursts and lengths

` + "`arrivals.sizeCorrelation`" + ` makes prompts longer, or shorter, where arrivals are dense. The lengths keep
their law. Each row has 100,000 requests. The correlation is Spearman's, between the gap before a
request, from long to short, and the length of the prompt; it has a standard error of 0.003. The
greatest that is reached is 31/32 = 0.969. D and its p-value are those of the lengths.

`)
	writeCouplings(t, &page)
	page.WriteString(profilesText)
	writeProfiles(t, &page)
	golden.Check(t, distributionsPage, page.String())
}

func writeLaws(t *testing.T, page *strings.Builder, laws []law) {
	page.WriteString("| law | parameters | mean: theory | drawn | z | CV: theory | drawn | z | p50: theory | drawn | p99: theory | drawn | statistic | p-value |\n")
	page.WriteString("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, l := range laws {
		xs := l.sample()
		m := momentsOf(xs)
		if l.tail > 0 && l.tail <= 2 {
			m.meanError = math.Inf(1)
		}
		if l.tail > 0 && l.tail <= 4 {
			m.cvError = math.Inf(1)
		}
		slices.Sort(xs)
		statistic, p := "", "none"
		if !l.dependent {
			var value float64
			if statistic, value = l.test(xs); !(value >= 1e-4) {
				t.Errorf("%s (%s): %s, p-value %v", l.name, l.parameters, statistic, value)
			}
			p = fmt.Sprintf("%.4f", value)
		}
		fmt.Fprintf(page, "| `%s` | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", l.name, l.parameters,
			l.compare(t, "mean", l.mean, m.mean, m.meanError), l.compare(t, "CV", l.cv, m.cv, m.cvError),
			digits(l.quantile(0.5)), digits(xs[len(xs)/2]), digits(l.quantile(0.99)), digits(xs[len(xs)/100*99]), statistic, p)
	}
}

// rarest is how many standard errors a figure may be off: with a probability of 0.0001 it is
// further off.
const rarest = 3.89

// compare returns the cells of theory, what was drawn, and how far it is off in standard
// errors, of which too many fail the test.
func (l law) compare(t *testing.T, what string, theory, drawn, stdErr float64) string {
	if math.IsNaN(theory) {
		return "none | none | none"
	}
	if math.IsInf(stdErr, 1) {
		return digits(theory) + " | " + digits(drawn) + " | none"
	}
	z := (drawn - theory) / stdErr
	if !(math.Abs(z) <= rarest) {
		t.Errorf("%s (%s): the %s is %v, and %v in theory: %.2f standard errors", l.name, l.parameters, what, drawn, theory, z)
	}
	return fmt.Sprintf("%s | %s | %.2f", digits(theory), digits(drawn), z)
}

func digits(x float64) string {
	if math.IsInf(x, 1) || math.IsNaN(x) {
		return "none"
	}
	return fmt.Sprintf("%.4g", x)
}

// moments are those of numbers, with their standard errors.
type moments struct{ mean, meanError, cv, cvError float64 }

// momentsOf has standard errors of a jackknife: those of the moments of all numbers but one
// batch, for each of 1000 batches of numbers that follow each other.
func momentsOf(xs []float64) moments {
	const batches = 1000
	n := len(xs) / batches
	var sums, squares [batches]float64
	sum, square := 0.0, 0.0
	for i, x := range xs {
		sums[i/n] += x
		squares[i/n] += x * x
	}
	for i := range batches {
		sum, square = sum+sums[i], square+squares[i]
	}
	of := func(n int, sum, square float64) (mean, cv float64) {
		mean = sum / float64(n)
		return mean, math.Sqrt(square/float64(n)-mean*mean) / math.Abs(mean)
	}
	var m moments
	m.mean, m.cv = of(len(xs), sum, square)
	for i := range batches {
		mean, cv := of(len(xs)-n, sum-sums[i], square-squares[i])
		m.meanError += (mean - m.mean) * (mean - m.mean)
		m.cvError += (cv - m.cv) * (cv - m.cv)
	}
	m.meanError = math.Sqrt(m.meanError * (batches - 1) / batches)
	m.cvError = math.Sqrt(m.cvError * (batches - 1) / batches)
	return m
}

// capped returns the moments in theory of min(x, c), for numbers that are not negative: the
// mean is the integral of 1 - F(x) up to c, and the mean square that of 2x(1 - F(x)).
func (l law) capped(c float64) (mean, cv float64) {
	const steps = 1_000_000
	width, square := c/steps, 0.0
	for i := range steps {
		x := (float64(i) + 0.5) * width
		above := (1 - l.cdf(x)) * width
		mean, square = mean+above, square+2*x*above
	}
	return mean, math.Sqrt(square-mean*mean) / mean
}

// writeTails compares the laws whose fourth moment is infinite by their moments up to a
// percentile.
func writeTails(t *testing.T, page *strings.Builder, laws []law) {
	page.WriteString("| law | parameters | second moment above | CV: theory | cut off | drawn | mean of min(x, c): theory | drawn | z | CV of min(x, c): theory | drawn | z |\n")
	page.WriteString("|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, l := range laws {
		if l.tail == 0 {
			continue
		}
		xs := l.sample()
		drawn := momentsOf(xs).cv
		share, without := "all", "none"
		if l.tail > 2 {
			mean, cv := l.capped(l.quantile(1 - 1.0/draws))
			share = fmt.Sprintf("%.1f %%", 100*(1-mean*mean*(1+cv*cv)/(l.mean*l.mean*(1+l.cv*l.cv))))
			without = digits(cv)
		}
		c := l.quantile(0.999)
		for i := range xs {
			xs[i] = min(xs[i], c)
		}
		m := momentsOf(xs)
		mean, cv := l.capped(c)
		fmt.Fprintf(page, "| `%s` | %s | %s | %s | %s | %s | %s | %s |\n", l.name, l.parameters, share, digits(l.cv), without, digits(drawn),
			l.compare(t, "mean up to p99.9", mean, m.mean, m.meanError), l.compare(t, "CV up to p99.9", cv, m.cv, m.cvError))
	}
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
			name: "Pareto", parameters: fmt.Sprintf("shape %v", shape), mean: 1, cv: cv, tail: shape,
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
		firstOfMMPP(), gapsOfMMPP(),
	}
}

// Both states of an MMPP with a rate of 1: how much of it they have, and how long they last.
var mmppFactors, mmppSeconds = [2]float64{0.5, 4}, [2]float64{10, 2}

// mmppOf is the time to the next arrival of that MMPP where it begins in one of the states with
// a probability. The probability that none has come obeys s₁' = -(r₁+a)·s₁ + a·s₂ and
// s₂' = b·s₁ - (r₂+b)·s₂ where the states have the rates r and are left at the rates a and b.
func mmppOf(begin func(rates, shares [2]float64) [2]float64) law {
	first, second := mmppSeconds[0], mmppSeconds[1]
	scale := (first + second) / (mmppFactors[0]*first + mmppFactors[1]*second)
	r1, r2, a, b := mmppFactors[0]*scale, mmppFactors[1]*scale, 1/first, 1/second
	// Both roots of the characteristic equation.
	trace, det := -(r1 + a + r2 + b), (r1+a)*(r2+b)-a*b
	root := math.Sqrt(trace*trace - 4*det)
	x1, x2 := (trace+root)/2, (trace-root)/2
	p := begin([2]float64{r1, r2}, [2]float64{first / (first + second), second / (first + second)})
	// s(0) = 1 and s'(0) = -(p₁r₁ + p₂r₂) give the parts of the two exponentials.
	slope := -(p[0]*r1 + p[1]*r2)
	c1 := (slope - x2) / (x1 - x2)
	c2 := 1 - c1
	mean := -(c1/x1 + c2/x2)
	square := 2 * (c1/(x1*x1) + c2/(x2*x2))
	return law{
		name: "MMPP", mean: mean, cv: math.Sqrt(square-mean*mean) / mean,
		cdf: func(x float64) float64 { x = max(0, x); return 1 - c1*math.Exp(x1*x) - c2*math.Exp(x2*x) },
	}
}

func mmppProcess() arrival.Arrivals {
	a := arrival.Arrivals{Process: arrival.MMPP, RatePerSecond: 1}
	for i, factor := range mmppFactors {
		a.States = append(a.States, arrival.State{RateFactor: factor, MeanDuration: time.Duration(mmppSeconds[i]) * time.Second})
	}
	return a
}

// firstOfMMPP is the time to the first arrival: the process starts in a state by its share of
// the time.
func firstOfMMPP() law {
	l := mmppOf(func(_, shares [2]float64) [2]float64 { return shares })
	l.parameters = "0.5 for 10 s, 4 for 2 s: first arrivals"
	l.sample = func() []float64 {
		xs := make([]float64, draws)
		for i := range xs {
			clock := arrival.NewClock(mmppProcess(), stats.NewStream(int64(i), "distributions"))
			xs[i] = clock.Next().Seconds()
		}
		return xs
	}
	return l
}

// gapsOfMMPP are the gaps of one process. A gap begins with an arrival, which comes in a state
// by its share of the arrivals.
func gapsOfMMPP() law {
	l := mmppOf(func(rates, shares [2]float64) [2]float64 {
		all := shares[0]*rates[0] + shares[1]*rates[1]
		return [2]float64{shares[0] * rates[0] / all, shares[1] * rates[1] / all}
	})
	l.parameters, l.sample, l.dependent = "the same: gaps of one process", gaps(mmppProcess()), true
	return l
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
		{name: "Pareto", parameters: "mean 500, shape 2.5", mean: 500, cv: paretoCV, tail: 2.5, sample: of(pareto), cdf: paretoCDF},
		{name: "Mixture", parameters: "3 parts of that Pareto, 1 of that LogNormal", mean: 500, cv: math.Sqrt(mixtureSquare-500*500) / 500, tail: 2.5,
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
