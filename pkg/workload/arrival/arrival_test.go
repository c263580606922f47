// SPDX-License-Identifier: Apache-2.0

package arrival_test

import (
	"math"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload/arrival"
)

// processes are one of each, at 10 requests a second.
func processes() map[string]arrival.Arrivals {
	return map[string]arrival.Arrivals{
		"Poisson":  {Process: arrival.Poisson},
		"Constant": {Process: arrival.Constant},
		"Gamma":    {Process: arrival.Gamma, CV: 2},
		"Weibull":  {Process: arrival.Weibull, CV: 2},
		"Pareto":   {Process: arrival.Pareto, Shape: 2.5},
		"Periodic": {Process: arrival.Periodic, Jitter: 0.5},
		"MMPP": {Process: arrival.MMPP, States: []arrival.State{
			{RateFactor: 0.5, MeanDuration: 20 * time.Second}, {RateFactor: 4, MeanDuration: 2 * time.Second},
		}},
	}
}

// counts returns the mean number of arrivals in each tenth of a span, over so many streams, and
// its standard error.
func counts(a arrival.Arrivals, span time.Duration, streams int64) (mean, stdErr [10]float64) {
	var squares [10]float64
	for seed := range streams {
		clock := arrival.NewClock(a, stats.NewStream(seed, "test"))
		var counts [10]float64
		for at := clock.Next(); at < simtime.Time(span); at = clock.Next() {
			counts[int64(at)*10/int64(span)]++
		}
		for i, n := range counts {
			mean[i] += n / float64(streams)
			squares[i] += n * n / float64(streams)
		}
	}
	for i := range mean {
		stdErr[i] = math.Sqrt(max(0, squares[i]-mean[i]*mean[i]) / float64(streams-1))
	}
	return mean, stdErr
}

// Every process has the rate that its stages say in every tenth of their span.
func TestRatesInEveryTenth(t *testing.T) {
	const second = time.Second
	for course, tc := range map[string]struct {
		stages []arrival.Stage
		want   [10]float64
	}{
		"steady": {
			[]arrival.Stage{{RatePerSecond: 10, Duration: 100 * second}},
			[10]float64{100, 100, 100, 100, 100, 100, 100, 100, 100, 100},
		},
		"up": {
			[]arrival.Stage{{RampPerSecond: 20, Duration: 100 * second}},
			[10]float64{10, 30, 50, 70, 90, 110, 130, 150, 170, 190},
		},
		"down to nothing": {
			[]arrival.Stage{{RatePerSecond: 20, RampPerSecond: -20, Duration: 100 * second}},
			[10]float64{190, 170, 150, 130, 110, 90, 70, 50, 30, 10},
		},
		"a spike after a pause": {
			[]arrival.Stage{
				{RatePerSecond: 10, Duration: 20 * second}, {Duration: 20 * second},
				{RampPerSecond: 30, Duration: 20 * second}, {RatePerSecond: 30, RampPerSecond: -25, Duration: 20 * second}, {RatePerSecond: 5, Duration: 20 * second},
			},
			[10]float64{100, 100, 0, 0, 75, 225, 237.5, 112.5, 50, 50},
		},
	} {
		for name, a := range processes() {
			t.Run(course+"/"+name, func(t *testing.T) {
				a.Stages = tc.stages
				const streams = 2000
				got, stdErr := counts(a, 100*second, streams)
				for i, want := range tc.want {
					// A process whose first gap is like all others starts (CV²-1)/2 requests behind
					// or ahead.
					allowed := float64(4.5*stdErr[i]) + 2.6
					if i > 3 && course == "steady" && name != "Pareto" {
						allowed = float64(4.5*stdErr[i]) + 1e-9
					}
					if name == "Constant" || name == "Periodic" {
						allowed = 1 + 1e-9
					}
					if math.Abs(got[i]-want) > allowed {
						t.Errorf("tenth %d has %.2f requests, want %.2f ± %.2f", i, got[i], want, allowed)
					}
				}
			})
		}
	}
}

// One rate and a stage of that rate are the same arrivals, but for the rounding of gaps.
func TestOneStageEqualsOneRate(t *testing.T) {
	for name, a := range processes() {
		staged := a
		a.RatePerSecond = 7
		staged.Stages = []arrival.Stage{{RatePerSecond: 7, Duration: 40 * time.Second}}
		one, other := arrival.NewClock(a, stats.NewStream(3, "test")), arrival.NewClock(staged, stats.NewStream(3, "test"))
		for at := one.Next(); at < simtime.Time(39*time.Second); at = one.Next() {
			if got := other.Next(); got.Sub(at).Abs() > time.Microsecond {
				t.Errorf("%s: a request comes at %v, want %v", name, got, at)
				break
			}
		}
	}
}

// The last request of a ramp that ends at 0 comes at its end.
func TestRampHasAllItsRequests(t *testing.T) {
	clock := arrival.NewClock(arrival.Arrivals{Process: arrival.Constant, Stages: []arrival.Stage{
		{RatePerSecond: 2, RampPerSecond: -2, Duration: 3 * time.Second}, {RampPerSecond: 2, Duration: 3 * time.Second},
	}}, nil)
	var got []simtime.Time
	for range 6 {
		got = append(got, clock.Next())
	}
	if got[2] != simtime.Time(3*time.Second) || got[5] != simtime.Time(6*time.Second) {
		t.Errorf("arrivals %v, want the third at 3s and the sixth at 6s", got)
	}
}

func TestJitterKeepsOrderAndTimes(t *testing.T) {
	clock := arrival.NewClock(arrival.Arrivals{Process: arrival.Periodic, RatePerSecond: 10, Jitter: 1}, stats.NewStream(1, "test"))
	last := simtime.Time(0)
	for n := 1; n <= 10_000; n++ {
		at := clock.Next()
		if at < last || math.Abs(at.Seconds()-float64(n)/10) > 0.05+1e-9 {
			t.Fatalf("request %d comes at %v after %v", n, at, last)
		}
		last = at
	}
}

func TestValidation(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*arrival.Arrivals)
		path string
	}{
		"an unknown process":      {func(a *arrival.Arrivals) { a.Process = "Bursty" }, "arrivals.process"},
		"a Pareto without a mean": {func(a *arrival.Arrivals) { a.Process, a.Shape = arrival.Pareto, 1 }, "arrivals.shape"},
		"a Weibull too bursty":    {func(a *arrival.Arrivals) { a.Process, a.CV = arrival.Weibull, 11 }, "arrivals.cv"},
		"a Weibull too regular":   {func(a *arrival.Arrivals) { a.Process, a.CV = arrival.Weibull, 0.001 }, "arrivals.cv"},
		"jitter of two periods":   {func(a *arrival.Arrivals) { a.Process, a.Jitter = arrival.Periodic, 2 }, "arrivals.jitter"},
		"an MMPP with one state":  {func(a *arrival.Arrivals) { a.States = a.States[:1] }, "arrivals.states"},
		"a state of no time":      {func(a *arrival.Arrivals) { a.States[1].MeanDuration = 0 }, "arrivals.states[1].meanDuration"},
		"a factor that is NaN":    {func(a *arrival.Arrivals) { a.States[1].RateFactor = math.NaN() }, "arrivals.states[1].rateFactor"},
		"states without requests": {func(a *arrival.Arrivals) { a.States[0].RateFactor, a.States[1].RateFactor = 0, 0 }, "arrivals.states"},
		"states that flicker":     {func(a *arrival.Arrivals) { a.States[0].MeanDuration, a.States[1].MeanDuration = 1, 1 }, "arrivals.states"},
		"a ramp to less than none": {func(a *arrival.Arrivals) {
			a.RatePerSecond, a.Stages = 0, []arrival.Stage{{RatePerSecond: 1, RampPerSecond: -2, Duration: time.Second}}
		}, "arrivals.stages[0].rampTo"},
	} {
		t.Run(name, func(t *testing.T) {
			a := processes()["MMPP"]
			a.RatePerSecond = 10
			if errs := a.Validate(field.NewPath("arrivals")); len(errs) > 0 {
				t.Fatal(errs)
			}
			tc.edit(&a)
			if errs := a.Validate(field.NewPath("arrivals")); len(errs) != 1 || errs[0].Field != tc.path {
				t.Errorf("faults %v, want one of %s", errs, tc.path)
			}
		})
	}
}

func BenchmarkClock(b *testing.B) {
	for name, a := range processes() {
		b.Run(name, func(b *testing.B) {
			a.RatePerSecond = 10
			clock := arrival.NewClock(a, stats.NewStream(1, "test"))
			b.ReportAllocs()
			for b.Loop() {
				clock.Next()
			}
		})
	}
}

// Each density has the same probability, whatever the process.
func TestDensitiesAreUniform(t *testing.T) {
	const n, cells = 100_000, 64
	all := processes()
	all["Gamma, many gaps of 0"] = arrival.Arrivals{Process: arrival.Gamma, CV: 50}
	all["Gamma, equal gaps"] = arrival.Arrivals{Process: arrival.Gamma, CV: 0.01}
	// States that last for less than a request.
	all["MMPP"] = arrival.Arrivals{Process: arrival.MMPP, States: []arrival.State{
		{RateFactor: 0.5, MeanDuration: 2 * time.Millisecond}, {RateFactor: 4, MeanDuration: time.Millisecond}, {RateFactor: 0.5, MeanDuration: time.Millisecond},
	}}
	for name, process := range all {
		if !process.Process.HasBursts() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			var counts [cells]float64
			process.RatePerSecond = 10
			clock, stream := arrival.NewClock(process, stats.NewStream(1, "arrivals")), stats.NewStream(1, "densities")
			for range n {
				clock.Next()
				counts[min(int(cells*clock.Density(stream)), cells-1)]++
			}
			sum := 0.0
			for _, count := range counts {
				sum += (count - n/cells) * (count - n/cells) / (n / cells)
			}
			// The 99.99th percentile of χ² with 63 degrees of freedom.
			if sum > 112 {
				t.Errorf("χ² = %v", sum)
			}
		})
	}
}

// Arrivals are denser after short gaps, and in states of high rates.
func TestDensityFollowsTheGap(t *testing.T) {
	for name, process := range processes() {
		if !process.Process.HasBursts() {
			continue
		}
		process.RatePerSecond = 10
		clock, stream := arrival.NewClock(process, stats.NewStream(1, "arrivals")), stats.NewStream(1, "densities")
		var gaps, densities []float64
		last := simtime.Time(0)
		for range 20_000 {
			at := clock.Next()
			gaps, densities = append(gaps, float64(last-at)), append(densities, clock.Density(stream))
			last = at
		}
		got, _ := stats.Spearman(gaps, densities)
		if want := map[bool]float64{true: 0.999, false: 0.3}[process.Process != arrival.MMPP]; got < want {
			t.Errorf("%s: rank correlation %v of short gaps and densities, want %v", name, got, want)
		}
	}
}
