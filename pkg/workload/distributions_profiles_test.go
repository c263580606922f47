// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload/arrival"
)

// Profiles are compared over a span of ten tenths of ten seconds each, at a rate of 10 a
// second. A Poisson process is drawn so many times.
const (
	tenthSeconds   = 10.
	profileRate    = 10.
	profileStreams = 1000
)

const profilesText = `
## Load profiles

A profile changes a rate of 10 requests a second over 100 s. The rows have the requests of each tenth
of this time: the integral of the rate, the mean of 1,000 Poisson processes, and one ` + "`Constant`" + ` process.
A Poisson process has as many requests as the integral on average, with this number as its variance.
The test fails if a mean is off by more than 3.89 standard errors, which are in brackets. Straight
ramps stand for the cosine of ` + "`Diurnal`" + `: they are within 0.22 % of its amplitude. The requests of a
` + "`Constant`" + ` process come where the integral from the start reaches whole numbers. Between two points
there are as many of these as the integral between them, rounded up or down, and one more or less
where an end is a whole number, since times are rounded to nanoseconds.

`

// profileCase is a profile, and the integral of the factor of the rate from the start on.
type profileCase struct {
	parameters string
	profile    arrival.Profile
	integral   func(seconds float64) float64
}

func profileCases() []profileCase {
	const second = time.Second
	// between integrates a straight line from one factor at 0 to another at the end, after
	// which it goes on with the last.
	between := func(from, to, lasts, x float64) float64 {
		within := max(0, min(x, lasts))
		area := from * within
		if lasts > 0 {
			area += (to - from) * within * within / (2 * lasts)
		}
		return area + to*max(0, x-lasts)
	}
	const omega = 2 * math.Pi / 50
	return []profileCase{
		{"factor 3 at 25 s", arrival.Profile{Shape: arrival.Step, At: 25 * second, Factor: 3},
			func(s float64) float64 { return min(s, 25) + between(3, 3, 0, s-25) }},
		{"to factor 3, from 20 s for 40 s", arrival.Profile{Shape: arrival.Ramp, At: 20 * second, Duration: 40 * second, Factor: 3},
			func(s float64) float64 { return min(s, 20) + between(1, 3, 40, s-20) }},
		{"peak to trough 3, period 50 s, peak at 17 s", arrival.Profile{Shape: arrival.Diurnal, At: 17 * second, Period: 50 * second, PeakToTrough: 3},
			func(s float64) float64 { return s + 0.5/omega*(math.Sin(omega*(s-17))+math.Sin(omega*17)) }},
		{"factor 5 at 20 s for 10 s, recovery 20 s", arrival.Profile{Shape: arrival.Spike, At: 20 * second, Duration: 10 * second, Factor: 5, Recovery: 20 * second},
			func(s float64) float64 { return min(s, 20) + 5*max(0, min(s-20, 10)) + between(5, 1, 20, s-30) }},
		{"from 40 s for 20 s", arrival.Profile{Shape: arrival.Drain, At: 40 * second, Duration: 20 * second},
			func(s float64) float64 { return min(s, 40) + between(1, 0, 20, s-40) }},
	}
}

// ramps is how far the integral over straight ramps may be from that over a tenth of a cosine:
// a chord of h is within h²/8 of a cosine, of which a period has 48.
func (c *profileCase) ramps() float64 {
	if c.profile.Shape != arrival.Diurnal {
		return 0
	}
	const h = 2 * math.Pi / 48
	amplitude := profileRate * (c.profile.PeakToTrough - 1) / (c.profile.PeakToTrough + 1)
	return amplitude * h * h / 8 * tenthSeconds
}

// requestsByTenth counts the requests of a process in each tenth of the span.
func requestsByTenth(process arrival.Process, p arrival.Profile, seed int64) (counts [10]float64) {
	clock := arrival.NewClock(arrival.Arrivals{Process: process, RatePerSecond: profileRate, Profile: &p}, stats.NewStream(seed, "profiles"))
	const tenth = simtime.Time(tenthSeconds * 1e9)
	for at := clock.Next(); at < 10*tenth; at = clock.Next() {
		counts[at/tenth]++
	}
	return counts
}

func writeProfiles(t *testing.T, page *strings.Builder) {
	page.WriteString("| profile | requests | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, c := range profileCases() {
		theory, poisson, constant := []string{}, []string{}, []string{}
		var mean [10]float64
		for seed := range int64(profileStreams) {
			for i, n := range requestsByTenth(arrival.Poisson, c.profile, seed) {
				mean[i] += n / profileStreams
			}
		}
		regular := requestsByTenth(arrival.Constant, c.profile, 1)
		for i := range mean {
			from, to := profileRate*c.integral(tenthSeconds*float64(i)), profileRate*c.integral(tenthSeconds*float64(i+1))
			want := to - from
			stdErr := math.Sqrt(want / profileStreams)
			if off := math.Abs(mean[i] - want); off > rarest*stdErr+c.ramps() {
				t.Errorf("%s (%s): tenth %d of Poisson processes has %.2f requests, want %.2f with a standard error of %.2f", c.profile.Shape, c.parameters, i+1, mean[i], want, stdErr)
			}
			if least, most := wholeBetween(from, to, c.ramps()); regular[i] < least || regular[i] > most {
				t.Errorf("%s (%s): tenth %d of a Constant process has %v requests, want %v to %v", c.profile.Shape, c.parameters, i+1, regular[i], least, most)
			}
			theory = append(theory, digits(want))
			poisson = append(poisson, fmt.Sprintf("%.1f (%.1f)", mean[i], stdErr))
			constant = append(constant, digits(regular[i]))
		}
		fmt.Fprintf(page, "| `%s` | theory | %s |\n| %s | Poisson | %s |\n| | Constant | %s |\n",
			c.profile.Shape, strings.Join(theory, " | "), c.parameters, strings.Join(poisson, " | "), strings.Join(constant, " | "))
	}
}

// wholeBetween returns the least and the greatest number of whole numbers from 1 on between two
// numbers that may each be further off: times are whole nanoseconds.
func wholeBetween(from, to, off float64) (least, most float64) {
	off += profileRate * 1e-9 * 10                                     // the greatest factor of a rate is below 10
	whole := func(x float64) float64 { return max(0, math.Ceil(x)-1) } // below x
	return max(0, whole(to-off)-whole(from+off)), whole(to+off) - whole(from-off)
}
